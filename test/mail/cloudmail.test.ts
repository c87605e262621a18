import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MailRefused, ProviderUnavailable } from '../../src/mail/mailer.js';
import { CloudmailStandIn } from '../support/cloudmail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { failureOf, mailerWith, outgoingMail } from './outgoing-mail.js';

let cloudmail: CloudmailStandIn;
beforeEach(async () => {
  cloudmail = await CloudmailStandIn.start();
});
afterEach(() => cloudmail.close());

describe('mail through Azure Communication Services', () => {
  it('names the sender, and asks Azure to track nothing', async () => {
    await (await mailerWith(cloudmail.variables)).send(outgoingMail());

    expect(cloudmail.delivered[0]?.payload).toMatchObject({
      senderAddress: 'DoNotReply@example.com',
      userEngagementTrackingDisabled: true,
    });
  });

  it('is asked about again at once under the same operation id when an answer is lost, and arrives once', async () => {
    const mailer = await mailerWith(cloudmail.variables);
    const mail = outgoingMail();
    cloudmail.answerNext('lose the answer');
    await mailer.send(mail);

    expect(cloudmail.operationIds).toEqual([mail.id, mail.id]);
    expect(cloudmail.delivered).toHaveLength(1);
  });

  it('is left to a later attempt when that answer is lost too, which has the same operation id', async () => {
    const mailer = await mailerWith(cloudmail.variables);
    const mail = outgoingMail();
    cloudmail.answerNext('lose the answer', 'lose the answer');

    expect(await failureOf(mailer, mail)).toBeInstanceOf(ProviderUnavailable);
    expect(cloudmail.requests).toBe(2);
    await mailer.send(mail);

    expect(cloudmail.operationIds).toEqual([mail.id, mail.id, mail.id]);
    expect(cloudmail.delivered).toHaveLength(1);
  });

  it('does not go through the second provider as well when an answer is lost', async () => {
    const second = await MailapiStandIn.start();
    const fallback = { SVC_EMAIL_PROVIDER: 'cloudmail', SVC_EMAIL_FALLBACK_PROVIDER: 'mailapi' };
    const mailer = await mailerWith({ ...cloudmail.variables, ...second.variables, ...fallback });
    cloudmail.answerNext('lose the answer');
    await mailer.send(outgoingMail());

    expect([cloudmail.delivered.length, second.requests]).toEqual([1, 0]);
    await second.close();
  });

  it('is refused with a wrong key', async () => {
    const [endpoint] = cloudmail.variables.SVC_CLOUDMAIL_CONNECTION_STRING?.split(';') ?? [];
    const mailer = await mailerWith({
      ...cloudmail.variables,
      SVC_CLOUDMAIL_CONNECTION_STRING: `${endpoint};accesskey=YW5vdGhlciBrZXk=`,
    });

    expect(await failureOf(mailer)).toMatchObject({
      message: 'cloudmail answered 401, Denied',
      details: { isRefused: true },
    });
    expect(cloudmail.delivered).toEqual([]);
  });

  it.each([
    [400, 'BadRequest', MailRefused],
    [400, 'InvalidSenderUserName', ProviderUnavailable],
    [404, 'DomainNotLinked', ProviderUnavailable],
    [429, 'TooManyRequests', ProviderUnavailable],
  ])('is refused with the code that %i comes with: %s', async (status, code, failure) => {
    const mailer = await mailerWith(cloudmail.variables);

    for (const answer of [{ body: { error: { code } } }, { headers: { 'x-ms-error-code': code } }]) {
      cloudmail.answer({ status, ...answer });
      const thrown = await failureOf(mailer);
      expect(thrown).toBeInstanceOf(failure);
      expect(thrown).toMatchObject({ message: `cloudmail answered ${status}, ${code}` });
    }
  });

  it('blames the configuration for a sender that Azure does not know, not the mail', async () => {
    cloudmail.answer({ status: 400, body: { error: { code: 'InvalidSenderUserName' } } });

    expect(await failureOf(await mailerWith(cloudmail.variables))).toMatchObject({
      details: { isRefused: true },
    });
  });
});
