import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callCommand } from '../support/command-line.js';
import { keyWith } from '../support/keys.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const DECLARED = {
  SVC_PERMISSIONS: JSON.stringify([
    { name: 'notes.read', title: 'Read notes', from: 'readonly', keys: true },
    { name: 'notes.write', title: 'Write notes', from: 'member' },
  ]),
};

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start(DECLARED);
});
afterAll(() => app.close());

const run = (...words: string[]) => callCommand(app, words, DECLARED);

it('permissions list says what is declared, and types writes it for a compiler', async () => {
  expect((await run('permissions', 'list')).output).toMatch(/notes\.read +from readonly +keys +Read notes/);
  const { output } = await run('permissions', 'types');
  expect(output).toContain("declare module 'latchkey-client'");
  expect(output).toContain("| 'notes.write'");
});

it('permissions forget takes out a name that doctor finds in roles and keys, and no other', async () => {
  const { id: orgId } = await foundOrg(app);
  const { id } = await keyWith(app, ['notes.read', 'notes.purge']);
  await app.database.rows(
    `INSERT INTO org_roles (org_id, id, name, base, permissions) VALUES ($1, gen_random_uuid(), 'Cleaner', 'member', '{notes.purge,notes.write}')`,
    [orgId],
  );
  const held = () =>
    app.database.rows(
      `SELECT permissions FROM keys WHERE id = $1 UNION ALL SELECT permissions FROM org_roles WHERE org_id = $2`,
      [id, orgId],
    );

  expect((await run('doctor')).output).toContain('notes.purge (1 roles, 1 keys)');
  const refused = await run('permissions', 'forget', 'notes.write');
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('notes.write is declared')]);
  expect((await run('permissions', 'forget', 'notes.purge')).output).toContain('out of 1 roles and 1 keys');

  expect(await held()).toEqual([{ permissions: ['notes.read'] }, { permissions: ['notes.write'] }]);
  expect((await run('doctor')).output).not.toContain('PERMISSION_UNKNOWN');
});
