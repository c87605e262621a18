import type { Environment } from '../config/environment.js';

export const ONE_SECOND_MS = 1000;

/** How long requests in flight may take to finish once no more are taken. */
const DRAIN_MS = 25_000;

/** How long a process may take to stop: what lasts longer is cut off. */
export function stopLimitMs({ stopDelaySeconds }: Environment): number {
  return stopDelaySeconds * ONE_SECOND_MS + DRAIN_MS;
}
