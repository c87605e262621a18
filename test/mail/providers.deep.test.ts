import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Mailer, MailRefused, ProviderUnavailable } from '../../src/mail/mailer.js';
import { CloudmailStandIn } from '../support/cloudmail-stand-in.js';
import type { Answer } from '../support/http-mail-stand-in.js';
import type { MailStandIn } from '../support/mail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { SmtpStandIn } from '../support/smtp-stand-in.js';
import { failureOf, mailerWith, outgoingMail } from './outgoing-mail.js';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

describe.each<{ provider: string; start: () => Promise<MailStandIn<unknown>>; down: unknown }>([
  { provider: 'mailapi', start: MailapiStandIn.start, down: { status: 503 } },
  { provider: 'cloudmail', start: CloudmailStandIn.start, down: { status: 503 } },
  { provider: 'smtp', start: SmtpStandIn.start, down: { to: 'CONN', reply: '421 Too busy' } },
])('the provider $provider', ({ start, down }) => {
  let standIn: MailStandIn<unknown>;
  let mailer: Mailer;
  beforeEach(async () => {
    standIn = await start();
    mailer = await mailerWith({ ...standIn.variables, SVC_EMAIL_TIMEOUT_SECONDS: '1' });
  });
  afterEach(() => standIn.close());

  it('accepts a mail as it was written', async () => {
    const mail = outgoingMail();
    await mailer.send(mail);

    const { id, to, subject, text, html } = mail;
    expect(standIn.delivered).toEqual([expect.objectContaining({ id, to, subject, text, html })]);
    expect(standIn.requests).toBe(1);
  });

  it.each(['hang', 'trickle'] as const)(
    'is hung up on within its time when it answers with a %s',
    async (behaviour) => {
      standIn.answer(behaviour);

      const failure = await failureOf(mailer);
      expect(failure).toBeInstanceOf(ProviderUnavailable);
      expect(failure).toMatchObject({ message: expect.stringMatching(/did not answer within 1 s$/) });
      await standIn.abandoned;
    },
  );

  it('is unavailable when it hangs up, and when no server is there', async () => {
    standIn.answer('hang up');
    expect(await failureOf(mailer)).toBeInstanceOf(ProviderUnavailable);

    const gone = await start();
    const lonely = await mailerWith(gone.variables);
    await gone.close();
    const failure = await failureOf(lonely);
    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({ message: expect.stringMatching(/did not answer at all: ECONNREFUSED$/) });
  });

  it('delivers again as soon as it is back', async () => {
    standIn.answerNext(down);
    await failureOf(mailer);
    await mailer.send(outgoingMail());

    expect(standIn.delivered).toHaveLength(1);
  });
});

describe.each([
  { provider: 'mailapi', StandIn: MailapiStandIn },
  { provider: 'cloudmail', StandIn: CloudmailStandIn },
])('the API of $provider', ({ StandIn }) => {
  let standIn: MailapiStandIn | CloudmailStandIn;
  let mailer: Mailer;
  beforeEach(async () => {
    standIn = await StandIn.start();
    mailer = await mailerWith({ ...standIn.variables, SVC_EMAIL_TIMEOUT_SECONDS: '1' });
  });
  afterEach(() => standIn.close());

  /** What sending fails with when the provider answers so. */
  function failureAt(answer: Answer): Promise<unknown> {
    standIn.answer(answer);
    return failureOf(mailer);
  }

  it.each([400, 413, 422])('refuses the mail for good at %i', async (status) => {
    expect(await failureAt({ status })).toBeInstanceOf(MailRefused);
  });

  it.each([401, 403, 404])('waits at %i for an operator to repair the configuration', async (status) => {
    const failure = await failureAt({ status });

    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({ details: { isRefused: true } });
  });

  it.each([200, 204, 302, 405, 408, 409, 429, 500, 502, 503, 504])(
    'is unavailable at %i for the time being',
    async (status) => {
      const failure = await failureAt({ status, body: '<h1>Not what you think</h1>' });

      expect(failure).toBeInstanceOf(ProviderUnavailable);
      expect(failure).toMatchObject({
        message: expect.stringContaining(`${status}`),
        details: { isRefused: false },
      });
      expect(standIn.requests).toBe(1);
    },
  );

  it.each([
    ['7', 7],
    ['0', 0],
    [inSeconds(-60), 0],
    ['soon', undefined],
  ])('is left alone after a Retry-After of %s for %s seconds', async (retryAfter, seconds) => {
    for (const status of [429, 503]) {
      const failure = await failureAt({ status, headers: { 'retry-after': retryAfter } });
      expect((failure as ProviderUnavailable).details.retryAfterSeconds).toBe(seconds);
    }
  });

  it('gets no mail until the date of a Retry-After', async () => {
    const failure = await failureAt({ status: 503, headers: { 'retry-after': inSeconds(100) } });

    const { retryAfterSeconds = 0 } = (failure as ProviderUnavailable).details;
    expect(retryAfterSeconds).toBeGreaterThan(95);
    expect(retryAfterSeconds).toBeLessThanOrEqual(100);
  });

  it.each([301, 302, 303, 307, 308])('is not followed at %i, to itself or elsewhere', async (status) => {
    const elsewhere = await StandIn.start();
    for (const location of [`${elsewhere.address}/`, `${standIn.address}/elsewhere`])
      expect(await failureAt({ status, headers: { location } })).toBeInstanceOf(ProviderUnavailable);

    expect([standIn.requests, elsewhere.requests]).toEqual([2, 0]);
    await elsewhere.close();
  });

  it('causes no error that repeats its words, the key or the mail', async () => {
    const mail = outgoingMail();
    const words = `${Object.values(standIn.variables)} ${Object.values(mail)}`;
    const reason = { code: words, field: words, message: words, target: words };
    const body = { errors: [reason], error: { ...reason, details: [reason] } };
    const { SVC_MAILAPI_API_KEY, SVC_CLOUDMAIL_CONNECTION_STRING = '' } = standIn.variables;
    const key = SVC_MAILAPI_API_KEY ?? SVC_CLOUDMAIL_CONNECTION_STRING.split('accesskey=')[1];

    for (const status of [200, 400, 401, 500]) {
      standIn.answer({ status, body, headers: { 'x-ms-error-code': mail.to } });
      const shown = inspect(await failureOf(mailer, mail), { depth: 10, showHidden: true });
      for (const secret of [key, mail.to, mail.subject, 'a-token-of-the-mail'])
        expect(shown).not.toContain(secret);
    }
    standIn.answer('hang up');
    expect(inspect(await failureOf(mailer, mail), { depth: 10, showHidden: true })).not.toContain(key);
  });
});
