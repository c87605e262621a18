import { useEffect } from 'preact/hooks';
import { type Loading, useLoad } from '../parts/load.js';
import type { System } from './schemas.js';
import { latchkey } from './service.js';

/** Where the service stops counting mails. */
export const MOST_MAILS = 10_000;

let reading: Promise<System> | undefined;

const readers = new Set<() => Promise<void>>();

/** How the service stands. The parts of a screen share one answer. */
export function useSystem(): Loading<System> {
  const loading = useLoad(() => {
    reading ??= readSystem();
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
export async function readSystemAgain(): Promise<void> {
  reading = undefined;
  await Promise.all([...readers].map((again) => again()));
}

async function readSystem(): Promise<System> {
  try {
    return (await latchkey.getSystem()).system;
  } catch (error) {
    reading = undefined;
    throw error;
  }
}
