import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { linked } from '../support/audit.js';
import { asMember, foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
  await app.database.rows(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'at the commit'; END $$`);
});
afterAll(() => app.close());

/** The audit lines of a service, in the order it wrote them. */
const linesOf = ({ log }: TestApp) =>
  log.map((line) => JSON.parse(line)).filter(({ audit_id }) => audit_id !== undefined);

/** What the lines should say, from the table; organizations and all else are chains of their own. */
const recorded = () =>
  app.database.rows(
    `SELECT type AS event, id AS audit_id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
            actor_id, user_id, org_id, ip, user_agent, details, chain_id AS chain, chain_position::int AS position,
            encode(chain_hash, 'hex') AS hash
       FROM audit_events ORDER BY chain_id, chain_position`,
  );

/** Makes the commit of each change of a table fail, while something happens. */
async function whileFailing(table: string, work: () => Promise<unknown>): Promise<void> {
  await app.database.rows(`
    CREATE CONSTRAINT TRIGGER fails AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail()`);
  await work().finally(() => app.database.rows(`DROP TRIGGER fails ON ${table}`));
}

describe('the audit lines of the log', () => {
  it('say what the table says, once for each event, in the order of each chain', async () => {
    const { id, admin } = await foundOrg(app);
    await admin.patch(`/orgs/${id}`, { name: 'Another name' });
    await signedUp(app, { email: await verified(app) });
    await app.browser().post('/auth/login', { email: admin.email, password: 'a wrong password' });
    await admin.get('/users?email=somebody');
    await admin.post('/auth/logout');
    await linked(app);
    // A line is written once its event is committed, so that the table may be a moment ahead.
    await until(async () => linesOf(app).length >= (await recorded()).length);

    const lines = linesOf(app);
    const inOrder = [...lines].sort((one, other) => one.chain.localeCompare(other.chain));
    const told = inOrder.map(({ level, time, msg, ...line }) => line);
    expect(told).toEqual(await recorded());
    expect(new Set(lines.map(({ level, msg }) => `${level} ${msg}`))).toEqual(
      new Set(['info An act was recorded.']),
    );
    expect(lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['org.updated', 'signup.started', 'login.failed', 'logout']),
    );
    expect(lines.find(({ event }) => event === 'login.failed')).toMatchObject({ ip: '127.0.0.1' });
  });

  it('have no sign that ends a line for some readers, or that a terminal obeys', async () => {
    const userAgent = 'x\x9b31m\x85{"event":"forged"}\x7f\x80';
    const email = await verified(app);
    await app.browser({ 'user-agent': userAgent }).post('/auth/signup', { email, password: PASSWORD });
    await linked(app);

    // The line of another request may come last.
    expect(linesOf(app).map(({ user_agent }) => user_agent)).toContain(userAgent);
    expect(app.log.join('')).not.toMatch(/[\x7f-\x9f\u2028\u2029]/);
  });

  it('do not show what was rolled back', async () => {
    const browser = await asMember(await loggedIn(app));
    const before = await app.database.value('SELECT count(*)::int FROM audit_events');

    await whileFailing('users', async () => {
      expect((await browser.patch('/users/me', { name: 'Ada' })).status).toBe(500);
    });
    await browser.patch('/users/me', { name: 'Grace' });
    await linked(app);

    expect(await app.database.value('SELECT count(*)::int FROM audit_events')).toBe(before + 1);
    expect(linesOf(app).filter(({ event }) => event === 'account.updated')).toHaveLength(1);
  });

  it('come again with the same place and hash when they could not be linked', async () => {
    const browser = await asMember(await loggedIn(app));
    await linked(app);
    const ofLogout = () =>
      linesOf(app)
        .filter(({ event, actor_id }) => event === 'logout' && actor_id === browser.id)
        .map(({ time, ...line }) => line);

    await whileFailing('audit_chains', async () => {
      await browser.post('/auth/logout');
      await app.database.rows('NOTIFY audit');
      await until(() => ofLogout().length > 0);
      await until(() => app.log.some((line) => line.includes('"job.failed"')));
    });
    await linked(app);

    const [first, ...again] = ofLogout();
    expect(again.length).toBeGreaterThan(0);
    for (const line of again) expect(line).toEqual(first);
    expect(await recorded()).toContainEqual(expect.objectContaining({ event: 'logout', hash: first.hash }));
  });
});

describe('SVC_AUDIT_LOG=off', () => {
  it('keeps the audit events out of the log', async () => {
    const quiet = await TestApp.start({ SVC_AUDIT_LOG: 'off' });
    await loggedIn(quiet);
    await linked(quiet);

    expect(linesOf(quiet)).toEqual([]);
    expect(await quiet.database.value('SELECT count(*)::int FROM audit_events')).toBeGreaterThan(0);
    await quiet.close();
  });
});
