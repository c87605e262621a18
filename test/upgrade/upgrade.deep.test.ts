import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migrations } from '../../src/database/migrations.js';
import { migrateAt } from '../../src/start/migrate.js';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { linked } from '../support/audit.js';
import { runCommand } from '../support/command-line.js';
import { mailTimePasses } from '../support/mails.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { type Fixture, loadFixture } from './fixture.js';

/** One for each release. */
const versions = readdirSync('test/upgrade').flatMap((file) => /^(\d.*)\.json$/.exec(file)?.[1] ?? []);

describe.each(versions)('a database that version %s has left', (version) => {
  const fixture: Fixture = JSON.parse(readFileSync(`test/upgrade/${version}.json`, 'utf8'));
  const { known } = fixture;
  let database: TestDatabase;
  let stripe: StripeStandIn;
  let app: TestApp;
  beforeAll(async () => {
    database = await TestDatabase.create();
    await database.rows('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await database.rows('GRANT USAGE ON SCHEMA public TO PUBLIC');
    await loadFixture(database, fixture);
    await migrateAt({ variable: 'SVC_DATABASE_URL', url: database.ownerUrl }, new Migrations());
    stripe = await StripeStandIn.start();
    app = await TestApp.start(stripe.variables, { database });
  });
  afterAll(async () => {
    await app?.close();
    await stripe?.stop();
  });

  it('keeps the session of a user who was logged in', async () => {
    const browser = app.browser();
    browser.jar.set(app.environment.sessionCookieName, known.session);

    const { status, body } = await browser.get('/users/me');

    expect(status).toBe(200);
    expect(body.user.email).toBe(known.email);
  });

  it('keeps passwords and subscriptions', async () => {
    const { body } = await (await loggedIn(app, known.admin, PASSWORD)).get('/subscription');
    expect(body.subscription.status).toBe('active');
  });

  it('lets an invited person join, and a person who signed up open the link', async () => {
    const accepted = await app
      .browser()
      .post('/invitations/accept', { token: known.invitation, password: PASSWORD });
    const browser = app.browser();
    for (const [name, value] of known.signup.cookies) browser.jar.set(name, value);
    const completed = await browser.post('/auth/verify-email', { token: known.signup.token });

    expect([accepted.status, completed.status]).toEqual([201, 200]);
  });

  it('sends the mail that waited, and the one that was asked for', async () => {
    await mailTimePasses(database, 24 * 60);
    const subjects = (await app.mailbox.to(known.waiting)).map(({ subject }) => subject);
    expect(subjects).toHaveLength(2);
  });

  it('keeps an audit log without a gap, which goes on', async () => {
    await linked(app);
    expect(await runCommand(app, ['audit', 'verify'])).toMatchObject({ code: 0 });
  });
});

describe('the fixtures', () => {
  it('begin with that of the first version, and leave no table empty', () => {
    expect(versions).toContain('0.1.0');
    for (const version of versions) {
      const { rows }: Fixture = JSON.parse(readFileSync(`test/upgrade/${version}.json`, 'utf8'));
      expect(Object.keys(rows).filter((table) => rows[table]?.length === 0)).toEqual([]);
    }
  });
});
