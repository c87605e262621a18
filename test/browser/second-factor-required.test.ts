import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { scan } from './phone.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const SESSION_COOKIE = '__Host-session';

let mailapi: MailapiStandIn;
let stage: Stage;
beforeAll(async () => {
  mailapi = await MailapiStandIn.start();
  stage = await Stage.inProd({
    ...mailapi.variables,
    SVC_APP_MODE: 'b2b',
    SVC_CRON_SCHEDULE: '0 3 * * *',
  });
});
afterAll(async () => {
  await stage.stop();
  await mailapi.close();
});

describe('in B2B as in prod, with the keyboard alone, an organization', () => {
  it('requires a second factor while a member works, who sets one up at the next login and works on', async () => {
    const { id, member: charles, email } = await organization();
    await charles.logIn(email);
    await charles.follow('Security');
    await charles.sees('This one');
    await requireFactor(id);

    await charles.press('Add an authenticator app');
    await charles.sees('Please log in.');
    expect(await charles.cookie(SESSION_COOKIE)).toBeUndefined();
    await setUpAtLogin(charles, email);
    expect(charles.path).toBe('/ui/security');
    await charles.sees('On, and it has to stay on');
  });
});

/** An organization with a member who has a browser and no mouse. */
async function organization() {
  const id = randomUUID();
  const email = await verified(stage.app);
  await stage.app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Analytical')`, [id]);
  await stage.app.database.rows('UPDATE users SET org_id = $1 WHERE email = $2', [id, email]);
  return { id, email, member: await stage.visitor({ hasMouse: false }) };
}

/** What its ORG_ADMIN does: with the rule, the sessions of members without a second factor end. */
async function requireFactor(id: string): Promise<void> {
  await stage.app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
    id,
  ]);
  await stage.app.database.rows(
    'UPDATE sessions SET invalidated_at = now() WHERE user_id IN (SELECT id FROM users WHERE org_id = $1)',
    [id],
  );
}

/** Logs in where a second factor has to be set up first. */
async function setUpAtLogin(visitor: Visitor, email: string): Promise<void> {
  if (!visitor.path.startsWith('/ui/login')) await visitor.open('/login');
  await visitor.submit('Log in', { Email: email, Password: PASSWORD });
  await visitor.sees('Make your login safer');
  await visitor.submit('I have an app');
  const app = await scan(visitor);
  await visitor.submit('Confirm the code', { 'Code that the app shows now': app.code() });
  await visitor.tick('I have kept the codes in a safe place');
  await visitor.submit('Go on');
  await visitor.sees('You are logged in.');
}
