import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Mailer, MailRefused, ProviderUnavailable } from '../../src/mail/mailer.js';
import { CloudmailStandIn } from '../support/cloudmail-stand-in.js';
import type { Behaviour } from '../support/mail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { type SmtpAnswer, SmtpStandIn } from '../support/smtp-stand-in.js';
import { TestApp } from '../support/test-app.js';
import { failureOf, mailerWith, outgoingMail } from './outgoing-mail.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

let first: MailapiStandIn;
let second: CloudmailStandIn;
let mailer: Mailer;
beforeEach(async () => {
  [first, second] = [await MailapiStandIn.start(), await CloudmailStandIn.start()];
  mailer = await mailerWith({
    ...second.variables,
    ...first.variables,
    SVC_EMAIL_FALLBACK_PROVIDER: 'cloudmail',
    SVC_EMAIL_TIMEOUT_SECONDS: '1',
  });
  app.log.length = 0;
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all([first.close(), second.close()]);
});

/** How many mails have gone through the first provider, and how many through the second. */
const delivered = () => [first.delivered.length, second.delivered.length];

/** Moves the clock on by some seconds. */
function wait(seconds: number): void {
  const then = performance.now() + seconds * 1000;
  jest.spyOn(performance, 'now').mockReturnValue(then);
}

describe('with a second provider', () => {
  it('the mailer has the name of the first, and does not use the second while the first delivers', async () => {
    await mailer.send(outgoingMail());

    expect(mailer.provider).toBe('mailapi');
    expect([first.requests, second.requests]).toEqual([1, 0]);
  });

  it.each([
    ['answers 503', { status: 503 }],
    ['answers 429', { status: 429 }],
    ['answers 401', { status: 401 }],
    ['does not answer', 'hang'],
    ['hangs up', 'hang up'],
  ] as const)('the mailer sends the same mail through the second when the first %s', async (_, behaviour) => {
    first.answer(behaviour);
    const mail = outgoingMail();
    await mailer.send(mail);

    expect(second.delivered).toMatchObject([{ id: mail.id, to: mail.to }]);
  });

  it('the mailer does not send a mail through the second that the first refuses', async () => {
    first.answer({ status: 400 });

    expect(await failureOf(mailer)).toBeInstanceOf(MailRefused);
    expect(second.requests).toBe(0);
  });

  it('the mailer reports that the second refuses a mail', async () => {
    first.answer({ status: 503 });
    second.answer({ status: 400 });

    expect(await failureOf(mailer)).toBeInstanceOf(MailRefused);
  });

  it('the mailer does not use the first for 30 seconds after a failure, then tries it again', async () => {
    first.answerNext({ status: 503 });
    await mailer.send(outgoingMail());
    wait(29);
    await mailer.send(outgoingMail());
    expect(delivered()).toEqual([0, 2]);

    wait(2);
    await mailer.send(outgoingMail());
    await mailer.send(outgoingMail());
    expect(delivered()).toEqual([2, 2]);
  });

  it('the mailer does not use the first for as long as it asks', async () => {
    first.answerNext({ status: 429, headers: { 'retry-after': '120' } });
    await mailer.send(outgoingMail());
    wait(119);
    await mailer.send(outgoingMail());
    wait(2);
    await mailer.send(outgoingMail());

    expect(delivered()).toEqual([1, 2]);
  });

  it('the mailer tries the first again at once if it asks for no pause', async () => {
    first.answerNext({ status: 503, headers: { 'retry-after': '0' } });
    await mailer.send(outgoingMail());
    await mailer.send(outgoingMail());

    expect(delivered()).toEqual([1, 1]);
  });

  it.each([
    ['60', '20', 20],
    ['20', '60', 20],
    ['20', undefined, 20],
    [undefined, '90', 30],
    [undefined, undefined, 30],
  ])('is unavailable when both are, the sooner of %s and %s seconds', async (one, other, seconds) => {
    first.answer({ status: 503, headers: one ? { 'retry-after': one } : {} });
    second.answer({ status: 429, headers: other ? { 'retry-after': other } : {} });

    const failure = await failureOf(mailer);
    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({
      message: 'mailapi answered 503; cloudmail answered 429',
      details: { retryAfterSeconds: seconds, isRefused: false },
    });
  });

  it('the mailer reports at every mail that the first refused the key, when the second is unavailable', async () => {
    first.answer({ status: 401 });
    second.answer({ status: 503 });

    for (const _ of [1, 2]) expect(await failureOf(mailer)).toMatchObject({ details: { isRefused: true } });
    expect(first.requests).toBe(1);
  });

  it('the mailer logs an error when the first refuses the key although mail goes out, once in each pause', async () => {
    first.answer({ status: 401 });
    await Promise.all([1, 2, 3].map(() => mailer.send(outgoingMail())));
    await mailer.send(outgoingMail());
    expect(delivered()).toEqual([0, 4]);
    expect(logged()).toEqual([
      {
        level: 'error',
        event: 'mail.provider_changed',
        provider: 'cloudmail',
        reason: 'mailapi answered 401',
      },
    ]);

    wait(31);
    await mailer.send(outgoingMail());
    expect(logged()).toHaveLength(2);
  });

  it('the mailer logs that the first is unavailable, and that it delivers again', async () => {
    first.answerNext({ status: 503, headers: { 'retry-after': '0' } });
    for (const _ of [1, 2, 3]) await mailer.send(outgoingMail());

    expect(logged()).toEqual([
      {
        level: 'warn',
        event: 'mail.provider_changed',
        provider: 'cloudmail',
        reason: 'mailapi answered 503',
      },
      { level: 'info', event: 'mail.provider_changed', provider: 'mailapi' },
    ]);
  });
});

describe('with a mail server', () => {
  let server: SmtpStandIn;
  beforeEach(async () => {
    server = await SmtpStandIn.start();
  });
  afterEach(() => server.close());

  /** A mailer with the mail server as its first or as its second provider, and the API of SendGrid as the other. */
  function mailerOf(emailProvider: 'mailapi' | 'smtp', fallback: 'mailapi' | 'smtp'): Promise<Mailer> {
    return mailerWith({
      ...server.variables,
      ...first.variables,
      SVC_EMAIL_PROVIDER: emailProvider,
      SVC_EMAIL_FALLBACK_PROVIDER: fallback,
      SVC_EMAIL_TIMEOUT_SECONDS: '1',
    });
  }

  it.each<[string, Behaviour<SmtpAnswer>]>([
    ['is busy', { to: 'CONN', reply: '421 4.3.2 Too busy' }],
    ['refuses the login', { to: 'AUTH', reply: '535 5.7.8 Authentication failed' }],
    ['refuses the sender', { to: 'MAIL FROM', reply: '550 5.7.1 Not your address' }],
    ['does not answer', 'hang'],
    ['hangs up', 'hang up'],
  ])('as the first, the mailer sends the same mail through the second when it %s', async (_, behaviour) => {
    const smtpFirst = await mailerOf('smtp', 'mailapi');
    server.answer(behaviour);
    const mail = outgoingMail();
    await smtpFirst.send(mail);

    expect(first.delivered).toMatchObject([{ id: mail.id, to: mail.to }]);
  });

  it('as the first, the mailer sends no mail through the second that it refuses', async () => {
    const smtpFirst = await mailerOf('smtp', 'mailapi');
    server.answer({ to: 'RCPT TO', reply: '550 5.1.1 No such user' });

    expect(await failureOf(smtpFirst)).toBeInstanceOf(MailRefused);
    expect(first.requests).toBe(0);
  });

  it('as the second, the mailer sends the same mail through it, and in both places no more than three at once', async () => {
    const smtpSecond = await mailerOf('mailapi', 'smtp');
    first.answer({ status: 503 });
    const mail = outgoingMail();
    await smtpSecond.send(mail);

    expect(server.delivered).toMatchObject([{ id: mail.id, to: mail.to }]);
    expect([smtpSecond.atOnce, (await mailerOf('smtp', 'mailapi')).atOnce, mailer.atOnce]).toEqual([
      3, 3, 10,
    ]);
  });
});

function logged(): { level: string; event: string; provider: string; reason?: string }[] {
  return app.log
    .map((line) => JSON.parse(line))
    .filter(({ context }) => context === 'FallbackMailer')
    .map(({ level, event, provider, reason }) => ({ level, event, provider, ...(reason && { reason }) }));
}
