import { expect, jest } from '@jest/globals';
import { statusOf } from '../../support/send.js';
import type { Replicas } from '../../support/service-process.js';

const RUNNERS = 32;

/** Rounds of each race: a few in every run of the tests, many in `npm run test:races`. */
const ROUNDS = Number(process.env.LATCHKEY_RACE_ROUNDS ?? 2);

jest.setTimeout(30_000 + ROUNDS * 10_000);

/** Lets a race be run again and again. */
export async function inRounds(race: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await race(round);
}

/** Sends the same 32 times at once, to one replica and the other in turn. */
export function race<Answer>(
  service: Replicas,
  send: (url: string, runner: number) => Promise<Answer>,
): Promise<Answer[]> {
  const runners = Array.from({ length: RUNNERS }, (_, runner) => send(service.at(runner).url, runner));
  return Promise.all(runners);
}

/** Posts the same body 32 times at once, and returns the statuses. */
export function raceTo(service: Replicas, path: string, body: object, cookie?: string): Promise<number[]> {
  return race(service, (url) => statusOf('POST', url + path, { body, cookie }));
}

/** Expects that one of the runners won, and that the others were refused. */
export function expectOneWinner(statuses: number[], success: number): void {
  const winners = statuses.filter((status) => status < 400);
  const faults = statuses.filter((status) => status >= 500);
  expect({ winners, faults }).toEqual({ winners: [success], faults: [] });
}
