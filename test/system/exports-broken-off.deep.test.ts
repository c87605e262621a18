import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { loggedInAs } from '../support/accounts.js';
import type { Answer } from '../support/browser.js';
import { foundOrg, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { send } from '../support/send.js';
import { TestApp } from '../support/test-app.js';

/** More than there is room for between the service and a reader who pauses. */
const EVENTS = 8_000;
const LETTERS_OF_EACH = 3_000;

let app: TestApp;
let origin: string;
let root: Member;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  origin = `http://127.0.0.1:${await app.listen()}`;
  root = await loggedInAs(app, 'sys_admin');
  org = await foundOrg(app);
  await app.database.rows(
    `INSERT INTO audit_events (id, type, org_id, chain_id, details)
     SELECT gen_random_uuid(), 'cron.ran', $1, $1, json_build_object('text', repeat('A', $2)) FROM generate_series(1, $3)`,
    [org.id, LETTERS_OF_EACH, EVENTS],
  );
});
afterAll(() => app.close());

/** The lines that a reader gets who pauses after the first ones until something was done, and whether the file is whole. */
async function savedAcross(reader: Member, act: () => Promise<unknown>, headers = {}) {
  const cookie = [...reader.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await send('GET', `${origin}/audit-events/export?scope=org`, { cookie, headers });
  expect(answer.status).toBe(200);
  const body = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const text = new TextDecoder();
  let file = '';
  let isDone = false;
  try {
    file += text.decode((await body.read()).value, { stream: true });
    await act();
    while (!isDone) {
      const { done, value } = await body.read();
      isDone = done;
      file += text.decode(value, { stream: true });
    }
  } catch {
    isDone = false;
  }
  return { lines: file.split('\r\n').length - 1, isWhole: isDone };
}

describe('a file that is on its way', () => {
  it('comes whole to a reader who pauses', async () => {
    const { lines, isWhole } = await savedAcross(org.admin, () => root.get('/users/me'));

    expect(isWhole).toBe(true);
    expect(lines).toBeGreaterThan(EVENTS);
  });

  it.each<[string, (id: string) => Promise<Answer>]>([
    ['the session ends', (id) => root.delete(`/users/${id}/sessions`)],
    ['the account is disabled', (id) => root.patch(`/users/${id}`, { disabled: true })],
    ['the reader is no longer an admin', (id) => root.patch(`/users/${id}`, { role: 'member' })],
    [
      'the organization suspends the reader',
      (id) => root.patch(`/orgs/${org.id}/members/${id}`, { suspended: true }),
    ],
    ['the reader leaves the organization', (id) => root.delete(`/orgs/${org.id}/members/${id}`)],
  ])('breaks off once %s', async (_, act) => {
    const reader = await joinOrg(app, org, Role.ORG_ADMIN);
    const { lines, isWhole } = await savedAcross(reader, async () => {
      expect((await act(reader.id)).status).toBeLessThan(300);
    });

    expect(isWhole).toBe(false);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThan(EVENTS * 0.75);
  });

  it('breaks off once the reader, who belongs to another organization too, leaves the one that it is of', async () => {
    const [reader, other] = [await joinOrg(app, org, Role.ORG_ADMIN), await foundOrg(app)];
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
      [reader.id, other.id],
    );

    const remove = () => root.delete(`/orgs/${org.id}/members/${reader.id}`);
    const { isWhole } = await savedAcross(reader, remove, { 'latchkey-org': org.id });

    expect(isWhole).toBe(false);
  });
});
