import { completedSignup, freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { linked } from '../support/audit.js';
import { checkOut, deliverAll, runCron, subscribe } from '../support/billing.js';
import { IdentityProvider, loginThrough } from '../support/identity-provider.js';
import { WAITING_MAIL } from '../support/mails.js';
import { invite } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import type { Known } from './fixture.js';

/** Does as many things as it takes to leave rows in every table, and returns what the users know. */
export async function fillDatabase(database: TestDatabase): Promise<Known> {
  const stripe = await StripeStandIn.start();
  const provider = await IdentityProvider.start();
  const app = await TestApp.start(
    {
      ...stripe.variables,
      ...provider.variables,
      SVC_RATE_LIMITS: 'on',
      SVC_CRON_SECRET: 'the secret of the scheduler that the tests know',
    },
    { database },
  );
  const person = await loggedIn(app);
  await app.browser().post('/password/forgot', { email: person.email });
  await loginThrough(provider, app.browser(), { sub: 'grace', email: freshAddress(), email_verified: true });
  await changeAddress(app);

  const admin = await completedSignup(app, { path: '/auth/signup-org', org_name: 'Initech' });
  const { body } = await admin.get('/users/me');
  await subscribe({ app, stripe, stop: async () => {} }, admin);
  const buyer = await loggedIn(app);
  await checkOut(buyer, stripe.account.addPrice());
  await deliverAll({ app, stripe });
  const invitation = await invite(app, admin, body.user.org_id, freshAddress());
  const signup = await signUp(app);
  await runCron({ app });
  const waiting = await verified(app);
  await linked(app);
  await app.nest.close();
  await provider.stop();
  await stripe.stop();

  await leaveMailWaiting(database, waiting);
  return {
    session: person.jar.get(app.environment.sessionCookieName) ?? '',
    email: person.email,
    admin: admin.email,
    invitation,
    waiting,
    signup,
  };
}

async function changeAddress(app: TestApp): Promise<void> {
  const browser = await loggedIn(app);
  const newEmail = freshAddress();
  await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
  await browser.post('/users/me/email/confirm', { token: await app.mailbox.token(newEmail) });
}

async function signUp(app: TestApp): Promise<Known['signup']> {
  const browser = app.browser();
  const email = freshAddress();
  await browser.post('/auth/signup', { email, password: PASSWORD });
  return { token: await app.mailbox.token(email), cookies: [...browser.jar] };
}

/** One mail that the provider did not take, and one that the service has yet to write. */
async function leaveMailWaiting(database: TestDatabase, email: string): Promise<void> {
  const mute = await TestApp.start(WAITING_MAIL, { database });
  await mute.browser().post('/password/forgot', { email });
  await until(() =>
    database.value('SELECT EXISTS (SELECT FROM outbox_mails WHERE attempts > 0 AND finished_at IS NULL)'),
  );
  await linked(mute);
  await mute.nest.close();
  await database.rows(
    `INSERT INTO link_requests (id, purpose, email) VALUES (gen_random_uuid(), 'reset-password', $1)`,
    [email],
  );
}
