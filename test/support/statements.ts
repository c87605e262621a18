import { jest } from '@jest/globals';
import pg from 'pg';

/** The SQL that runs against the database while something happens. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]) => textOf(statement));
  } finally {
    query.mockRestore();
  }
}

function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : String((statement as { text: string }).text);
}
