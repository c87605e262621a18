import { describe, expect, it } from '@jest/globals';
import { CloudmailStandIn } from '../support/cloudmail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { SmtpStandIn } from '../support/smtp-stand-in.js';
import { mailerWith, outgoingMail } from './outgoing-mail.js';

const SENDER = 'no-reply@mail.example.com';

/** What every mail has, whoever sends it. */
const PROPERTIES = (mail: ReturnType<typeof outgoingMail>) => ({
  id: mail.id,
  to: mail.to,
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  headers: expect.objectContaining({
    'auto-submitted': 'auto-generated',
    'message-id': `<${mail.id}@mail.example.com>`,
  }),
});

const CARRIERS = [
  ['smtp', () => SmtpStandIn.start()],
  ['mailapi', () => MailapiStandIn.start()],
  ['cloudmail', () => CloudmailStandIn.start()],
] as const;

const senders = (sender: string) => ({
  SVC_SMTP_SENDER_ADDRESS: sender,
  SVC_MAILAPI_SENDER_ADDRESS: sender,
  SVC_CLOUDMAIL_SENDER_ADDRESS: sender,
});

describe.each(CARRIERS)('a mail through %s', (provider, start) => {
  it('has all the properties of a mail, and keeps them at each attempt', async () => {
    const carrier = await start();
    const mailer = await mailerWith({ ...carrier.variables, ...senders(SENDER) });
    const mail = outgoingMail();
    carrier.answerNext('lose the answer', 'lose the answer');
    for (const _ of [1, 2]) await mailer.send(mail).catch(() => {});
    await mailer.send(mail);

    expect(carrier.delivered.length).toBeGreaterThan(0);
    for (const delivered of carrier.delivered) expect(delivered).toMatchObject(PROPERTIES(mail));
    await carrier.close();
  });

  it('has them too while it stands in for another provider', async () => {
    const [first, second] = [
      provider === 'mailapi' ? await CloudmailStandIn.start() : await MailapiStandIn.start(),
      await start(),
    ];
    const mailer = await mailerWith({
      ...second.variables,
      ...first.variables,
      ...senders(SENDER),
      SVC_EMAIL_FALLBACK_PROVIDER: provider,
    });
    const mail = outgoingMail();
    first.answer({ status: 503 });
    await mailer.send(mail);

    expect(second.delivered).toMatchObject([PROPERTIES(mail)]);
    await Promise.all([first.close(), second.close()]);
  });
});
