import { useEffect } from 'preact/hooks';
import { type Loading, useLoad } from '../parts/load.js';
import { latchkey } from './service.js';

/** Where the service stops counting mails. */
export const MOST_MAILS = 10_000;

export type Outbox = Awaited<ReturnType<typeof latchkey.getMailStates>>;

let reading: Promise<Outbox> | undefined;

const readers = new Set<() => Promise<void>>();

/** How the outbox stands: a small answer, as the sections of every screen ask for it. The parts of a screen share it. */
export function useOutbox(): Loading<Outbox> {
  const loading = useLoad(() => {
    reading ??= readOutbox();
    return reading;
  });
  useEffect(() => {
    const { again } = loading;
    readers.add(again);
    return () => {
      readers.delete(again);
    };
  }, []);
  return loading;
}

/** Asks again after an act, for all parts of the page. */
export async function readOutboxAgain(): Promise<void> {
  reading = undefined;
  await Promise.all([...readers].map((again) => again()));
}

async function readOutbox(): Promise<Outbox> {
  try {
    return await latchkey.getMailStates();
  } catch (error) {
    reading = undefined;
    throw error;
  }
}
