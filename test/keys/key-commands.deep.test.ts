import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isKey } from '../../src/secrets/key-form.js';
import { callCommand } from '../support/command-line.js';
import { getWith } from '../support/keys.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

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

/** Runs a command about keys. */
const run = (...words: string[]) => callCommand(app, ['key', ...words], DECLARED);

let made = 0;
async function make(...options: string[]): Promise<{ id: string; secret: string }> {
  const permissions = 'latchkey.users.read,notes.read';
  const { code, output, lines } = await run(
    'make',
    `key ${++made}`,
    '--permissions',
    permissions,
    ...options,
  );
  expect(code).toBe(0);
  const [id = ''] = /[0-9a-f-]{36}/.exec(output) ?? [];
  return { id, secret: lines.find((line) => isKey(line)) as string };
}

const get = async (secret: string) => (await getWith(app, '/users', secret)).status;

describe('the commands about keys of the operator', () => {
  it('make one that has two secrets while one takes the place of the other, and ends at once', async () => {
    const { id, secret } = await make();
    const rotated = await run('rotate', id, '--former-ends-in-hours', '2');
    const second = rotated.lines.find((line) => isKey(line)) as string;
    expect((await run('rotate', id)).output).toContain('has two secrets already');
    expect([await get(secret), await get(second)]).toEqual([200, 200]);

    await app.database.rows(
      `UPDATE key_secrets SET expires_at = expires_at - interval '2 hours' WHERE key_id = $1`,
      [id],
    );
    expect([await get(secret), await get(second)]).toEqual([401, 200]);
    await run('end', id);
    expect(await get(second)).toBe(401);
    expect((await run('end', id)).output).toContain('no live key');

    const events = await app.database.rows(
      `SELECT type, details FROM audit_events WHERE details->>'key_id' = $1 AND type <> 'key.refused' ORDER BY id`,
      [id],
    );
    expect(events.map(({ type }) => type)).toEqual(['key.made', 'key.rotated', 'key.ended']);
    for (const { details } of events) expect(JSON.stringify(details)).not.toContain(secret.slice(14, 40));
  });

  it('say when it was last used, and from where', async () => {
    const { id, secret } = await make();
    expect((await run('list')).output).toContain('never used');
    await get(secret);
    await until(
      async () =>
        (await app.database.value('SELECT last_used_ip FROM key_secrets WHERE key_id = $1', [id])) !== null,
    );
    const { output } = await run('list');
    expect(output).toContain(`…${secret.slice(-4)}`);
    expect(output).toMatch(/last used \S+Z from 127\.0\.0\.1/);
  });

  it.each([
    [['make', '', '--permissions', 'notes.read'], /name must be/],
    [['make', 'a\nb', '--permissions', 'notes.read'], /name must be/],
    [['make', 'a', '--permissions', 'notes.raed'], /not declared for keys: notes\.raed/],
    [['make', 'a', '--permissions', 'notes.write'], /not declared for keys: notes\.write/],
    [['make', 'a', '--permissions', 'notes.read', '--days', '0'], /--days must be/],
    [['make', 'a', '--permissions', 'notes.read', '--networks', '192.0.2.1/24'], /no CIDR block/],
    [['make', 'a', '--permissions', 'notes.read', '--per-minute', '1e3'], /--per-minute must be/],
    [['end', 'x'], /not the id of a key/],
    [['rotate', '019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11'], /no live key/],
  ])('refuses %j', async (words, message) => {
    const { code, output } = await run(...words);
    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
  });

  it('has a name of its own among those that are live', async () => {
    const { id } = await make();
    const again = await run('make', `key ${made}`, '--permissions', 'notes.read');
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('Another key has this name')]);
    await run('end', id);
    expect((await run('make', `key ${made}`, '--permissions', 'notes.read')).code).toBe(0);
  });

  it('make 50 at a time at most', async () => {
    const other = await TestApp.start(DECLARED);
    await other.database.rows(
      `INSERT INTO keys (id, name, permissions) SELECT gen_random_uuid(), 'old ' || n, '{notes.read}' FROM generate_series(1, 50) n`,
    );
    const { output } = await callCommand(
      other,
      ['key', 'make', 'one more', '--permissions', 'notes.read'],
      DECLARED,
    );
    expect(output).toContain('There are 50 keys already');
    await other.close();
  });
});
