import { within } from '../database/time-limit.js';

/** A load balancer or a container engine waits only a few seconds for an answer, and Prometheus ten. */
const TIME_LIMIT_MS = 2_000;

/**
 * Wraps a reading of PostgreSQL, for a probe or a scrape: however often it is asked for, it runs once at a time. It
 * rejects when that takes too long.
 */
export function limitedReading<T>(read: () => Promise<T>): () => Promise<T> {
  const readOnce = oneAtATime(read);
  return () => within(TIME_LIMIT_MS, readOnce());
}

/** Wraps work so that it never runs twice at once: a caller that comes while it is under way shares its outcome. */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underway: Promise<T> | undefined;
  return () => {
    underway ??= work().finally(() => {
      underway = undefined;
    });
    return underway;
  };
}
