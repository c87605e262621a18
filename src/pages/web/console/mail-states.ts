import { useEffect } from 'preact/hooks';
import { type Loading, useLoad } from '../parts/load.js';
import { latchkey } from './service.js';

type MailStates = Awaited<ReturnType<typeof latchkey.getMailStates>>['states'];

const readers = new Set<() => Promise<void>>();

/** How many mails are in each state: a small answer, as the sections of every screen ask for it. */
export function useMailStates(): Loading<MailStates> {
  const loading = useLoad(async () => (await latchkey.getMailStates()).states);
  useEffect(() => {
    const { again } = loading;
    readers.add(again);
    return () => {
      readers.delete(again);
    };
  }, []);
  return loading;
}

/** Asks again after an act. */
export async function readMailStatesAgain(): Promise<void> {
  await Promise.all([...readers].map((again) => again()));
}
