import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD, signedUp } from '../support/accounts.js';
import { CloudmailStandIn } from '../support/cloudmail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { mailTimePasses, workersRest } from '../support/mails.js';
import { SmtpStandIn } from '../support/smtp-stand-in.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let mailapi: MailapiStandIn;
let cloudmail: CloudmailStandIn;
let smtp: SmtpStandIn;
let app: TestApp;
beforeEach(async () => {
  [mailapi, cloudmail, smtp] = [
    await MailapiStandIn.start(),
    await CloudmailStandIn.start(),
    await SmtpStandIn.start(),
  ];
});
afterEach(async () => {
  await app.close();
  await Promise.all([mailapi.close(), cloudmail.close(), smtp.close()]);
});

/** Signs a person up at a service with these variables, and returns the address once the worker rests. */
async function signUpWith(variables: Record<string, string>): Promise<string> {
  app = await TestApp.start(variables);
  const email = await signedUp(app);
  await workersRest(app.database);
  return email;
}

/** What the outbox knows of the mail. */
async function outboxMail() {
  const [mail] = await app.database.rows('SELECT id, outcome, attempts, last_error FROM outbox_mails');
  return mail;
}

const outages = () => app.database.rows('SELECT provider, is_key_refused FROM mail_outages');

describe('the mail of a signup', () => {
  it.each(['mailapi', 'cloudmail', 'smtp'] as const)(
    'goes through %s, with its link as HTML and as text',
    async (provider) => {
      const standIn = { mailapi, cloudmail, smtp }[provider];
      const email = await signUpWith(standIn.variables);

      const { id, ...rest } = await outboxMail();
      expect(rest).toEqual({ outcome: 'sent', attempts: 1, last_error: null });
      const link = expect.stringMatching(/http:\/\/localhost:5173\/verify-email\?token=[\w-]{43}/);
      expect(standIn.delivered).toEqual([expect.objectContaining({ id, to: email, text: link, html: link })]);
    },
  );

  it('goes through the second provider when the first is down, at the same attempt', async () => {
    mailapi.answer({ status: 503 });
    const fallback = { SVC_EMAIL_FALLBACK_PROVIDER: 'cloudmail' };
    const email = await signUpWith({ ...cloudmail.variables, ...mailapi.variables, ...fallback });

    expect(await outboxMail()).toMatchObject({ outcome: 'sent', attempts: 1 });
    expect(cloudmail.delivered).toMatchObject([{ to: email }]);
    expect(await outages()).toEqual([]);
  });

  it('waits while the provider refuses the key, and goes out once it does not', async () => {
    mailapi.answer({ status: 401 });
    const email = await signUpWith(mailapi.variables);
    expect(await outboxMail()).toMatchObject({ outcome: null, last_error: 'mailapi answered 401' });
    expect(await outages()).toEqual([{ provider: 'mailapi', is_key_refused: true }]);

    mailapi.answer('accept');
    await mailTimePasses(app.database, 60);
    expect(mailapi.delivered).toMatchObject([{ to: email }]);
    // The worker forgets the outage after it has noted the mail as sent.
    await until(async () => (await outages()).length === 0);
  });

  it('goes through the mail server again under the same id when the answer is lost', async () => {
    smtp.answerNext('lose the answer');
    const email = await signUpWith(smtp.variables);
    await mailTimePasses(app.database, 60);

    const { id, ...rest } = await outboxMail();
    expect(rest).toMatchObject({ outcome: 'sent', attempts: 2 });
    expect(smtp.delivered).toMatchObject([
      { id, to: email },
      { id, to: email },
    ]);
  });

  it('becomes a dead letter when the mail server refuses its address, which the record does not repeat', async () => {
    smtp.answer({ to: 'RCPT TO', reply: '550 5.1.1 No such user' });
    await signUpWith(smtp.variables);

    const error = 'smtp answered 550 5.1.1 to RCPT TO (no such mailbox)';
    expect(await outboxMail()).toMatchObject({ outcome: 'dead', last_error: error });
  });

  it('becomes a dead letter when the provider refuses its address', async () => {
    const field = 'personalizations.0.to.0.email';
    mailapi.answer({ status: 400, body: { errors: [{ field }] } });
    await signUpWith(mailapi.variables);

    const error = `mailapi answered 400, ${field}`;
    expect(await outboxMail()).toMatchObject({ outcome: 'dead', last_error: error });
  });
});

describe('the mail about a new password', () => {
  it('is not sent when the change is rolled back', async () => {
    app = await TestApp.start(mailapi.variables);
    const browser = await loggedIn(app);
    await app.database.rows(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'at the commit'; END $$;
      CREATE CONSTRAINT TRIGGER fails AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail()`);

    const change = { current_password: PASSWORD, new_password: 'staple battery horse correct' };
    const { status } = await browser.post('/password/update', change);
    await workersRest(app.database);

    expect(status).toBe(500);
    expect(await outboxMail()).toBeUndefined();
    expect(mailapi.delivered).toEqual([]);
  });
});
