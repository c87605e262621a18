import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import pg from 'pg';
import { SESSION_SETTINGS } from '../../src/database/session-settings.js';

const IS_SETTING = new RegExp(`^SET ${Object.keys(SESSION_SETTINGS)[0]} TO `);

const recording = new AsyncLocalStorage<string[]>();

/**
 * The SQL that something runs against the database; not what the jobs in the background do meanwhile, nor what a new
 * connection is set to.
 */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const query = pg.Client.prototype.query;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...call: unknown[]
  ) {
    const text = textOf(call[0]);
    if (!IS_SETTING.test(text)) recording.getStore()?.push(text);
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
