import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { webhooks } from '../support/webhooks.js';

let database: TestDatabase;
let without: TestApp;
let elsewhere: TestApp;
let app: TestApp;
beforeAll(async () => {
  database = await TestDatabase.create();
  without = await TestApp.start({}, { database });
  elsewhere = await TestApp.start(webhooks({ types: ['org.*', 'logout'] }), { database });
  app = await TestApp.start(webhooks({ name: 'product' }, { name: 'crm', types: ['account.*'] }), {
    database,
  });
});
afterAll(async () => {
  for (const each of [without, elsewhere, app]) await each.nest.close();
  await database.close();
});

const deliveries = () => database.value('SELECT count(*)::int FROM webhook_deliveries');

/** The statements with which a user changes their name. */
async function statementsOf(service: TestApp): Promise<string[]> {
  const browser = await loggedIn(service);
  return statementsDuring(() => browser.patch('/users/me', { name: 'Ada' }));
}

describe('an act that no endpoint wants to know of', () => {
  it('is recorded with the same statements as without endpoints, and makes no delivery', async () => {
    const statements = await statementsOf(without);
    const before = await deliveries();

    expect(await statementsOf(elsewhere)).toEqual(statements);
    expect(statements.join()).not.toContain('webhook');
    expect(await deliveries()).toBe(before);
  });
});

describe('an act that endpoints want to know of', () => {
  it('is recorded with as many statements, and makes a delivery for each of them', async () => {
    const plain = await statementsOf(without);
    const statements = await statementsOf(app);

    expect(statements.length).toBe(plain.length);
    expect(
      await database.rows(
        `SELECT d.endpoint, e.type FROM webhook_deliveries d JOIN audit_events e ON e.id = d.event_id
          WHERE e.id = (SELECT id FROM audit_events WHERE type = 'account.updated' ORDER BY id DESC LIMIT 1)
          ORDER BY d.endpoint`,
      ),
    ).toEqual([
      { endpoint: 'crm', type: 'account.updated' },
      { endpoint: 'product', type: 'account.updated' },
    ]);
  });
});

describe('what a stranger may do with an address', () => {
  const ACTS: [string, (browser: Browser, email: string) => Promise<unknown>][] = [
    ['a signup', (browser, email) => browser.post('/auth/signup', { email, password: PASSWORD })],
    ['a login', (browser, email) => browser.post('/auth/login', { email, password: 'not the password' })],
    ['a forgotten password', (browser, email) => browser.post('/password/forgot', { email })],
    ['a link asked for again', (browser, email) => browser.post('/auth/verify-email/resend', { email })],
  ];

  it.each(ACTS)('runs for %s the same statements for a known address and an unknown one', async (_, act) => {
    const known = await verified(app);
    const before = await deliveries();

    const ofKnown = await statementsDuring(() => act(app.browser(), known));
    const ofUnknown = await statementsDuring(() => act(app.browser(), freshAddress()));

    expect(ofKnown.length).toBeGreaterThan(0);
    expect(ofKnown).toEqual(ofUnknown);
    expect(await deliveries()).toBe(before);
  });
});
