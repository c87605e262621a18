import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditVerifier } from '../../src/audit/audit-verifier.js';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { linked } from '../support/audit.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const FIRST = 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g';
const CRON_SECRET = 'the secret of the scheduler that the tests know';
const VARIABLES = {
  SVC_JWT_SECRET_KEY: FIRST,
  SVC_CRON_SECRET: CRON_SECRET,
  SVC_CRON_AUDIT_RETENTION_DAYS: '30',
};

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start(VARIABLES);
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE audit_events, audit_chains'));

const prune = async (query = '') =>
  (await app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post(`/cron${query}`)).body.pruned
    .audit_events;

/** What the verifier finds, such as `missing 3`. */
async function findings(): Promise<string[]> {
  await linked(app);
  const found: string[] = [];
  for await (const { what, position } of app.nest.get(AuditVerifier).verify(() => {}))
    found.push(`${what} ${position}`);
  return found;
}

/** A chain of events of the given ages, in their order. */
async function chain(...daysAgo: number[]): Promise<string> {
  const orgId = randomUUID();
  await app.database.rows(
    `INSERT INTO audit_events (id, type, org_id, chain_id, created_at)
     SELECT (left($1::uuid::text, 24) || lpad(number::text, 12, '0'))::uuid, 'org.updated', $1, $1::uuid,
            now() - make_interval(days => days)
       FROM unnest($2::int[]) WITH ORDINALITY AS d (days, number)`,
    [orgId, daysAgo],
  );
  await linked(app);
  return orgId;
}

const at = (position: number, assignment: string) =>
  app.database.rows(`UPDATE audit_events SET ${assignment} WHERE chain_position = $1`, [position]);
const remove = (position: number) =>
  app.database.rows('DELETE FROM audit_events WHERE chain_position = $1', [position]);
const positions = async () =>
  (await app.database.rows('SELECT chain_position::int AS at FROM audit_events ORDER BY 1')).map(
    ({ at: position }) => position,
  );

describe('the verifier', () => {
  it('finds no fault when nothing was changed', async () => {
    await chain(3, 2, 1);
    expect(await findings()).toEqual([]);
  });

  it.each([
    `type = 'org.deleted'`,
    'actor_id = gen_random_uuid()',
    'user_id = gen_random_uuid()',
    'org_id = NULL',
    `ip = '203.0.113.7'`,
    `user_agent = 'another'`,
    `details = '{"role":"sys_admin"}'`,
    `created_at = created_at - interval '1 millisecond'`,
    'id = gen_random_uuid()',
    'chain_hash = sha256(chain_hash)',
    'chain_hash = NULL',
  ])('finds an event whose %s', async (assignment) => {
    await chain(3, 2, 1);
    await at(2, assignment);
    expect(await findings()).toContain('changed 2');
  });

  it.each([
    ['first', 1],
    ['middle', 2],
    ['last', 3],
  ])('finds that the %s event is missing', async (_, position) => {
    await chain(3, 2, 1);
    await remove(position);
    expect(await findings()).toEqual([`missing ${position}`]);
  });

  it('finds one event changed where only its hash was taken away', async () => {
    await chain(3, 2, 1);
    await at(2, 'chain_hash = NULL');
    expect(await findings()).toEqual(['changed 2']);
  });

  it('finds that a chain is unproven whose row was taken away', async () => {
    await chain(3, 2, 1);
    await chain(3, 2, 1);
    const dissolved = await chain(3, 2, 1);
    await app.database.rows('DELETE FROM audit_chains WHERE id = $1', [dissolved]);
    expect(await findings()).toEqual(['unproven 1']);
  });

  it('finds that events are unproven which are there, though the row of the chain says that they were pruned', async () => {
    await chain(3, 2, 1);
    await app.database.rows('UPDATE audit_chains SET pruned_position = position, pruned_hash = hash');
    expect(await findings()).toEqual(['unproven 1']);
  });

  it('finds that the last event was replaced', async () => {
    await chain(3, 2, 1);
    await remove(3);
    await at(2, 'chain_position = 3');
    expect(await findings()).toContain('missing 2');
  });

  it('finds that an event was put back which had this place before the chain was cut and continued', async () => {
    const orgId = await chain(3, 2, 1);
    await app.database.rows('CREATE TABLE cut AS SELECT * FROM audit_events WHERE chain_position = 2');
    await app.database.rows('DELETE FROM audit_events WHERE chain_position > 1');
    await app.database.rows(
      'UPDATE audit_chains SET position = chain_position, hash = chain_hash FROM audit_events',
    );
    await app.database.rows(
      `INSERT INTO audit_events (id, type, org_id, chain_id)
       SELECT gen_random_uuid(), 'org.updated', $1, $1::uuid FROM generate_series(2, 3)`,
      [orgId],
    );
    expect(await findings()).toEqual([]);

    await remove(2);
    await app.database.rows('INSERT INTO audit_events SELECT * FROM cut; DROP TABLE cut');

    expect(await findings()).toEqual(['changed 3']);
  });

  it('finds no fault in 1,000 events of several organizations that two replicas recorded at once', async () => {
    const [one, two, loner] = [await foundOrg(app), await foundOrg(app), await loggedIn(app)];
    const other = await TestApp.start({ SVC_JWT_SECRET_KEY: FIRST }, { database: app.database });
    const tokens = [one.admin, one.member, two.admin, two.readonly, loner].map(({ jar }) => jar);
    const act = (number: number) => {
      const browser = (number % 2 === 0 ? app : other).browser();
      for (const [name, value] of tokens[number % tokens.length] ?? []) browser.jar.set(name, value);
      return browser.patch('/users/me', { name: `Ada ${number}` });
    };
    for (let first = 0; first < 1_000; first += 40)
      await Promise.all(Array.from({ length: 40 }, (_, index) => act(first + index)));

    expect(await findings()).toEqual([]);
    await other.nest.close();
    const updated = `SELECT count(*)::int FROM audit_events WHERE type = 'account.updated'`;
    expect(await app.database.value(updated)).toBe(1_000);
    expect(await app.database.value('SELECT count(*)::int FROM audit_chains')).toBe(3);
  });
});

describe('retention', () => {
  it('prunes the beginning of a chain, which can still be verified and continued', async () => {
    await chain(40, 35, 31, 20, 10);

    expect(await prune('?dry_run=true')).toBe(3);
    expect(await prune()).toBe(3);

    expect(await findings()).toEqual([]);
    await remove(4);
    expect(await findings()).toEqual(['missing 4']);
  });

  it('prunes a whole chain, to which new events are linked', async () => {
    const orgId = await chain(40, 35);

    expect(await prune()).toBe(2);
    await app.database.rows(
      `INSERT INTO audit_events (id, type, org_id, chain_id) VALUES (gen_random_uuid(), 'org.updated', $1, $1::uuid)`,
      [orgId],
    );

    expect(await findings()).toEqual([]);
    expect(await positions()).toContain(3);
  });

  it('keeps younger events, and every event after one of them', async () => {
    await chain(40, 20, 35);

    expect(await prune()).toBe(1);
    expect(await findings()).toEqual([]);
  });

  it('does not step over a missing event', async () => {
    await chain(40, 39, 38, 37);
    await remove(2);

    expect(await prune()).toBe(1);
    expect(await findings()).toEqual(['missing 2']);
  });

  it('prunes thousands of events in batches', async () => {
    await chain(...Array.from({ length: 4_500 }, () => 40), 1);

    expect(await prune()).toBe(4_500);
    expect(await findings()).toEqual([]);
  });

  it('never prunes an event that is not linked yet', async () => {
    await app.nest.close();
    await app.database.rows(
      `INSERT INTO audit_events (id, type, chain_id, created_at)
       VALUES (gen_random_uuid(), 'org.updated', gen_random_uuid(), now() - interval '40 days')`,
    );
    const { output } = await callCommand(app, ['prune']);

    expect(JSON.parse(output).pruned.audit_events).toBe(0);
    app = await TestApp.start(VARIABLES, { database: app.database });
  });
});

describe('an event', () => {
  it('outlives the user and the organization it names', async () => {
    const [{ id, admin }, root] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];
    const before = await app.database.rows('SELECT id FROM audit_events WHERE org_id = $1', [id]);

    await root.delete(`/orgs/${id}`);
    await app.database.rows('DELETE FROM users WHERE id = $1', [admin.id]);

    const after = await app.database.rows('SELECT id FROM audit_events WHERE org_id = $1', [id]);
    expect(after).toEqual(expect.arrayContaining(before));
    expect(before.length).toBeGreaterThan(0);
    expect(await findings()).toEqual([]);
  });
});

describe('npm run cli -- audit verify', () => {
  it('exits with 0 when every event is as it was recorded, and with 1 when one is not', async () => {
    const orgId = await chain(3, 2, 1);
    const whole = await callCommand(app, ['audit', 'verify']);
    await remove(2);
    const broken = await runCommand(app, ['audit', 'verify']);

    expect(whole).toMatchObject({ code: 0, lines: ['Every event is as it was recorded.'] });
    expect(broken).toMatchObject({
      code: 1,
      lines: [`missing: event 2 of chain ${orgId}`, 'Findings: 1.'],
    });
  });
});

describe('a rotation of SVC_JWT_SECRET_KEY', () => {
  const [LATER, LATEST] = ['later', 'latest'].map((word) => `${word} main secret that only the tests know`);
  const withKeys = (keys: string, ...words: string[]) =>
    callCommand(app, words, { SVC_JWT_SECRET_KEY: keys });

  it('leaves a chain that verifies after reseal, one rotation after the other, and shows what is changed later', async () => {
    await chain(3, 2, 1);
    await withKeys(`${LATER},${FIRST}`, 'reseal');
    expect(await withKeys(`${LATER}`, 'audit', 'verify')).toMatchObject({ code: 0 });

    expect((await withKeys(`${LATEST},${LATER}`, 'reseal')).lines[0]).toBe(
      '3 audit events sealed with the first key',
    );
    expect((await withKeys(`${LATEST},${LATER}`, 'reseal')).lines[0]).toBe(
      '0 audit events sealed with the first key',
    );
    expect(await withKeys(`${LATEST}`, 'audit', 'verify')).toMatchObject({ code: 0 });

    await at(2, 'details = \'{"role":"member"}\'');
    expect((await withKeys(`${LATEST}`, 'audit', 'verify')).lines.at(-1)).toBe('Findings: 1.');
    await remove(2);
    expect((await withKeys(`${LATEST}`, 'audit', 'verify')).lines[0]).toMatch(/^missing: event 2/);
  });

  it('seals nothing that was changed before it', async () => {
    await chain(3, 2, 1);
    await at(2, "type = 'org.deleted'");

    const { code, output } = await withKeys(`${LATER},${FIRST}`, 'reseal');
    expect(output).toContain('1 audit events are proven by no key');
    expect(code).toBe(1);
    expect((await withKeys(`${LATER}`, 'audit', 'verify')).lines.at(-1)).toBe('Findings: 1.');
  });
});
