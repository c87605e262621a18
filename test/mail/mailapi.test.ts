import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MailRefused, ProviderUnavailable } from '../../src/mail/mailer.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { failureOf, mailerWith, outgoingMail } from './outgoing-mail.js';

let mailapi: MailapiStandIn;
beforeEach(async () => {
  mailapi = await MailapiStandIn.start();
});
afterEach(() => mailapi.close());

/** What sending fails with when SendGrid gives a reason. */
async function failureFor(status: number, reason: unknown, headers: Record<string, string> = {}) {
  mailapi.answer({ status, headers, body: { errors: [reason] } });
  return failureOf(await mailerWith(mailapi.variables));
}

describe('mail through SendGrid', () => {
  it('names the sender, its kind and its id, and asks SendGrid to track and add nothing', async () => {
    const mail = outgoingMail();
    await (await mailerWith(mailapi.variables)).send(mail);

    expect(mailapi.delivered[0]?.payload).toMatchObject({
      from: { email: 'no-reply@example.com', name: 'Latchkey' },
      personalizations: [{ to: [{ email: mail.to }], custom_args: { latchkey_mail_id: mail.id } }],
      categories: ['password-reset'],
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
        subscription_tracking: { enable: false },
        ganalytics: { enable: false },
      },
    });
  });

  it('has a sender without a name when none is set', async () => {
    const mailer = await mailerWith({ ...mailapi.variables, SVC_MAILAPI_SENDER_NAME: '' });
    await mailer.send(outgoingMail());

    expect(mailapi.delivered[0]?.payload).toMatchObject({ from: { email: 'no-reply@example.com' } });
    expect(mailapi.delivered[0]?.payload).not.toHaveProperty('from.name');
  });

  it('is refused with a wrong key', async () => {
    const mailer = await mailerWith({ ...mailapi.variables, SVC_MAILAPI_API_KEY: 'SG.another' });

    expect(await failureOf(mailer)).toMatchObject({ details: { isRefused: true } });
    expect(mailapi.delivered).toEqual([]);
  });

  it('is refused with the name of the field that is wrong', async () => {
    const field = 'personalizations.0.to.0.email';
    const failure = await failureFor(400, { message: 'Does not contain a valid address.', field });

    expect(failure).toBeInstanceOf(MailRefused);
    expect(failure).toMatchObject({ message: `mailapi answered 400, ${field}` });
  });

  it('blames the configuration, not the mail, for a sender that is no address', async () => {
    const failure = await failureFor(400, {
      message: 'Does not contain a valid address.',
      field: 'from.email',
    });

    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({ details: { isRefused: true } });
  });

  it('waits when the account is out of credits, which SendGrid reports as it reports a wrong key', async () => {
    const failure = await failureFor(401, { message: 'Maximum credits exceeded', field: null });

    expect(failure).toMatchObject({
      message: 'mailapi answered 401, out-of-credits',
      details: { isRefused: false },
    });
  });

  it('waits until the limit of requests ends', async () => {
    const inAMinute = Math.floor(Date.now() / 1000) + 60;
    const failure = await failureFor(429, null, { 'x-ratelimit-reset': `${inAMinute}` });

    const { retryAfterSeconds = 0 } = (failure as ProviderUnavailable).details;
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  it.each([
    ['null', null],
    ['a text', 'errors'],
    ['errors that are no list', { errors: 'none' }],
    ['errors that have no message', { errors: [null, 'x', 1] }],
  ])('survives an answer of %s', async (_, body) => {
    mailapi.answer({ status: 500, body });
    expect(await failureOf(await mailerWith(mailapi.variables))).toBeInstanceOf(ProviderUnavailable);
  });
});
