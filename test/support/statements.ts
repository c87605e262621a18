import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import pg from 'pg';

const recording = new AsyncLocalStorage<string[]>();

/** The SQL that something runs against the database; not what the jobs in the background do meanwhile. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const query = pg.Client.prototype.query;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...call: unknown[]
  ) {
    recording.getStore()?.push(textOf(call[0]));
    return Reflect.apply(query, this, call);
  });
  try {
    await recording.run(statements, work);
    return statements;
  } finally {
    spy.mockRestore();
  }
}

function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : String((statement as { text: string }).text);
}
