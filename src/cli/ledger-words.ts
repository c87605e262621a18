import { isUUID } from 'class-validator';
import { NotDead, NotFound } from '../http/errors.js';
import type { StateCount } from '../queues/queue-ledger.repository.js';

/** How many rows a list may have. Throws when `--limit` says no number. */
export function limitOf(limit: string): number {
  const number = Number(limit);
  if (!Number.isInteger(number) || number < 1) throw new Error('--limit must be a whole number above 0.');
  return number;
}

/** The state that `--state` names, undefined without one. Throws for any other. */
export function stateNamed<State extends string>(
  name: string | undefined,
  states: readonly State[],
): State | undefined {
  const state = states.find((known) => known === name);
  if (name !== undefined && !state) throw new Error(`--state must be one of ${states.join(', ')}.`);
  return state;
}

/** How many rows are in each state, in a line; empty without any. */
export function countsInWords(counts: StateCount[]): string {
  return counts
    .map(({ endpoint, count, state }) =>
      [count, state, ...(endpoint === null ? [] : ['for', endpoint])].join(' '),
    )
    .join(', ');
}

/** Prints a row, a line for each field. */
export function printFields(row: object): void {
  for (const [name, value] of Object.entries(row)) console.log(`${name}: ${text(value)}`);
}

/** Does something about one row, such as a mail, and says what a problem of the API is to an operator. */
export async function withRow<T>(noun: string, id: string, work: () => Promise<T>): Promise<T> {
  try {
    if (!isUUID(id)) throw new NotFound();
    return await work();
  } catch (error) {
    if (error instanceof NotFound) throw new Error(`There is no ${noun} ${id}.`);
    if (error instanceof NotDead) throw new Error(`${id} is not a dead letter.`);
    throw error;
  }
}

function text(value: unknown): string {
  if (value === null) return '-';
  return value instanceof Date ? value.toISOString() : String(value);
}
