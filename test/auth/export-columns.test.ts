import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_COLUMNS } from '../../src/audit/audit-event.view.js';
import { EXPORTED_PARTS } from '../../src/auth/account/account-export.js';
import { TestApp } from '../support/test-app.js';
import { COLUMNS_LEFT_OUT, TABLES_LEFT_OUT } from './left-out-of-export.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** What the view of an event says beside the columns of its table. */
const NAMES = ['actor_email', 'user_email', 'org_name'];

/** What the copy of an account has, or leaves out with a reason, as `table.column`. */
function decided(): string[] {
  const exported = EXPORTED_PARTS.flatMap(({ table, columns }) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  const events = EVENT_COLUMNS.filter((column) => !NAMES.includes(column)).map(
    (column) => `audit_events.${column}`,
  );
  const leftOut = Object.entries(COLUMNS_LEFT_OUT).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  return [...exported, ...events, ...leftOut];
}

/** The columns of the database that nobody has decided on, and those decided on that it does not have. */
async function faults(): Promise<{ undecided: string[]; gone: string[] }> {
  const rows = await app.database.rows(
    'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()',
  );
  const present = rows
    .filter(({ table_name }) => !(table_name in TABLES_LEFT_OUT))
    .map(({ table_name, column_name }) => `${table_name}.${column_name}`);
  const tables = new Set(rows.map(({ table_name }) => table_name));
  const known = decided();
  return {
    undecided: present.filter((column) => !known.includes(column)),
    gone: [
      ...known.filter((column) => !present.includes(column)),
      ...Object.keys(TABLES_LEFT_OUT).filter((table) => !tables.has(table)),
    ],
  };
}

describe('the copy of an account', () => {
  it('has each column of the database, or leaves it out with a reason', async () => {
    expect(await faults()).toEqual({ undecided: [], gone: [] });
  });

  it.each([
    ['a column', 'ALTER TABLE users ADD shoe_size integer', ['users.shoe_size']],
    ['a table', 'CREATE TABLE pets (user_id uuid, name text)', ['pets.user_id', 'pets.name']],
  ])('must be decided on when the database gains %s', async (_, sql, undecided) => {
    await app.database.rows(sql);

    expect((await faults()).undecided.sort()).toEqual(expect.arrayContaining(undecided));
  });

  it('leaves out nothing that it has', () => {
    const columns = decided();
    const ofSentInvitations = EXPORTED_PARTS.find(({ name }) => name === 'invitations_sent')?.columns ?? {};
    const twice = columns.filter((column, place) => columns.indexOf(column) !== place);

    expect(twice).toEqual(Object.keys(ofSentInvitations).map((column) => `invitations.${column}`));
  });
});
