import { latchkey } from '../parts/service.js';
import type { System } from './schemas.js';

let reading: Promise<System> | undefined;

/** How the service stands, asked for once: the sections count what waits, and the overview says what it is. */
export function systemNow(): Promise<System> {
  reading ??= readSystem();
  return reading;
}

async function readSystem(): Promise<System> {
  try {
    return (await latchkey.getSystem()).system;
  } catch (error) {
    reading = undefined;
    throw error;
  }
}
