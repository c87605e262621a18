import { inspect } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { MailRefused, ProviderUnavailable } from '../../src/mail/mailer.js';
import { smtpTransport } from '../../src/mail/smtp.mailer.js';
import { type SmtpAnswer, SmtpStandIn } from '../support/smtp-stand-in.js';
import { failureOf, mailerWith, outgoingMail } from './outgoing-mail.js';

const started: SmtpStandIn[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function start(options: Parameters<typeof SmtpStandIn.start>[0] = {}): Promise<SmtpStandIn> {
  const server = await SmtpStandIn.start(options);
  started.push(server);
  return server;
}

/** What sending fails with when the service has these variables besides those of the server. */
async function failureAt(server: SmtpStandIn, variables: Record<string, string> = {}): Promise<unknown> {
  return failureOf(await mailerWith({ ...server.variables, SVC_EMAIL_TIMEOUT_SECONDS: '1', ...variables }));
}

const NO_LOGIN = { SVC_SMTP_USER: '', SVC_SMTP_PASSWORD: '' };

describe('mail over SMTP', () => {
  it('names the sender and its id', async () => {
    const server = await start();
    const mailer = await mailerWith({ ...server.variables, SVC_BASE_API_URL: 'http://api.example.com:8080' });
    const mail = outgoingMail();
    await mailer.send(mail);

    expect(server.delivered).toMatchObject([{ id: mail.id, from: 'no-reply@example.com', to: mail.to }]);
    expect(server.delivered[0]?.payload).toMatchObject({
      from: { address: 'no-reply@example.com', name: 'Latchkey' },
      to: [{ address: mail.to }],
      messageId: `<${mail.id}@example.com>`,
      user: 'latchkey',
      helo: 'api.example.com',
    });
  });

  it('has the same Message-ID when an answer is lost and the service sends it again', async () => {
    const server = await start();
    const mailer = await mailerWith(server.variables);
    const mail = outgoingMail();
    server.answerNext('lose the answer');

    expect(await failureOf(mailer, mail)).toBeInstanceOf(ProviderUnavailable);
    await mailer.send(mail);

    const messageId = `<${mail.id}@example.com>`;
    expect(server.delivered).toMatchObject([{ payload: { messageId } }, { payload: { messageId } }]);
  });

  it('goes to an address beyond ASCII, and through a server that knows the service without a login', async () => {
    const server = await start({ auth: false });
    const mailer = await mailerWith({ ...server.variables, ...NO_LOGIN });
    await mailer.send({ ...outgoingMail(), to: 'žofie@example.org' });

    expect(server.delivered).toMatchObject([{ to: 'žofie@example.org', payload: { user: undefined } }]);
  });

  it('is refused for an address beyond ASCII by a server that does not announce SMTPUTF8, before it has the mail', async () => {
    const server = await start({ utf8: false });
    const mailer = await mailerWith(server.variables);
    const failure = await failureOf(mailer, { ...outgoingMail(), to: 'žofie@example.org' });

    expect(failure).toBeInstanceOf(MailRefused);
    expect(failure).toMatchObject({ message: 'smtp has no SMTPUTF8 for the address' });
    expect(server.delivered).toEqual([]);
    await mailer.send({ ...outgoingMail(), to: 'zofie@xn--jrg-hoa.example' });
  });

  it.each(['starttls', 'implicit'] as const)('goes over TLS that begins by %s', async (tls) => {
    const server = await start({ tls });
    server.beTrusted();
    await (await mailerWith(server.variables)).send(outgoingMail());

    expect(server.delivered).toMatchObject([{ payload: { secure: true, user: 'latchkey' } }]);
  });

  it.each([
    [{}, { port: 587, secure: false, requireTLS: true }],
    [{ SVC_SMTP_PORT: '2525' }, { port: 2525, secure: false, requireTLS: true }],
    [{ SVC_SMTP_PORT: '465' }, { port: 465, secure: true }],
    [{ SVC_SMTP_TLS: 'implicit' }, { port: 465, secure: true }],
    [{ SVC_SMTP_TLS: 'off' }, { port: 25, secure: false, requireTLS: false, ignoreTLS: true }],
  ])('with %o goes to %o', (variables, options) => {
    const environment = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...variables });

    expect(smtpTransport(environment).options).toMatchObject(options);
  });

  it('gets no header and no recipient from a name', async () => {
    const server = await start();
    const name = 'Eve <eve@example.org>, "Latchkey';
    const mailer = await mailerWith({ ...server.variables, SVC_SMTP_SENDER_NAME: name });
    const subject = 'Initech\r\nBcc: eve@example.org\r\n\r\nClick here';
    await mailer.send({ ...outgoingMail(), subject });

    expect(server.delivered).toMatchObject([
      {
        to: 'ada@example.org',
        subject: 'Initech Bcc: eve@example.org  Click here',
        payload: { from: { name, address: 'no-reply@example.com' } },
      },
    ]);
    expect(server.delivered[0]?.payload).toMatchObject({
      headers: expect.not.arrayContaining([expect.objectContaining({ key: 'bcc' })]),
    });
  });
});

describe('the mail server', () => {
  it.each<[SmtpAnswer, string]>([
    [{ to: 'CONN', reply: '421 4.3.2 Shutting down' }, 'answered 421 4.3.2 to the connection'],
    [{ to: 'CONN', reply: 'hang up' }, 'did not answer at all: ECONNECTION'],
    [{ to: 'CONN', reply: 'hang' }, 'did not answer within 1 s'],
    [{ to: 'AUTH', reply: '454 4.7.0 Temporary failure' }, 'answered 454 4.7.0 to AUTH PLAIN'],
    [{ to: 'MAIL FROM', reply: '451 4.3.0 Try again' }, 'answered 451 4.3.0 to MAIL FROM'],
    [{ to: 'RCPT TO', reply: '450 4.7.1 Greylisted' }, 'answered 450 4.7.1 to RCPT TO'],
    [{ to: 'RCPT TO', reply: 'hang up' }, 'did not answer at all: ECONNECTION'],
    [{ to: 'DATA', reply: '452 4.3.1 Disk full' }, 'answered 452 4.3.1 to DATA'],
  ])('is unavailable for the time being at %o', async (answer, message) => {
    const server = await start();
    server.answer(answer);

    const failure = await failureAt(server);
    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({ message: `smtp ${message}` });
    expect((failure as ProviderUnavailable).details.isRefused ?? false).toBe(false);
  });

  it.each<[SmtpAnswer, string]>([
    [{ to: 'CONN', reply: '554 5.7.1 Blocked' }, 'answered 554 5.7.1 to the connection'],
    [{ to: 'AUTH', reply: '534 5.7.9 Mechanism too weak' }, 'answered 534 5.7.9 to AUTH PLAIN'],
    [{ to: 'MAIL FROM', reply: '553 5.7.1 Not your address' }, 'answered 553 5.7.1 to MAIL FROM'],
    [{ to: 'RCPT TO', reply: '530 5.7.0 Log in first' }, 'answered 530 5.7.0 to RCPT TO'],
    [{ to: 'RCPT TO', reply: '554 5.7.1 Relay access denied' }, 'answered 554 5.7.1 to RCPT TO'],
    [{ to: 'DATA', reply: '538 Encryption required' }, 'answered 538 to DATA'],
  ])('waits for an operator to repair the configuration at %o', async (answer, message) => {
    const server = await start();
    server.answer(answer);

    const failure = await failureAt(server);
    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({ message: `smtp ${message}`, details: { isRefused: true } });
  });

  it.each<[SmtpAnswer, string]>([
    [{ to: 'RCPT TO', reply: '550 5.1.1 No such user' }, 'answered 550 5.1.1 to RCPT TO (no such mailbox)'],
    [
      { to: 'RCPT TO', reply: '552 5.2.2 <grace@example.com> is over quota' },
      'answered 552 5.2.2 to RCPT TO (a mailbox that is full)',
    ],
    [{ to: 'RCPT TO', reply: '552 Mailbox full' }, 'answered 552 to RCPT TO'],
    [{ to: 'DATA', reply: '550 5.7.1 Looks like spam' }, 'answered 550 5.7.1 to DATA'],
    [{ to: 'DATA', reply: '554 5.6.0 Transaction failed' }, 'answered 554 5.6.0 to DATA'],
  ])('refuses the mail for good at %o', async (answer, message) => {
    const server = await start();
    server.answer(answer);

    const failure = await failureAt(server);
    expect(failure).toBeInstanceOf(MailRefused);
    expect(failure).toMatchObject({ message: `smtp ${message}` });
  });

  it('is not asked about a mail that nothing can be sent to', async () => {
    const server = await start();
    const failure = await failureOf(await mailerWith(server.variables), { ...outgoingMail(), to: '' });

    expect(failure).toBeInstanceOf(MailRefused);
    expect(failure).toMatchObject({ message: 'smtp failed: EENVELOPE' });
  });

  it.each([
    ['a wrong password', {}, { SVC_SMTP_PASSWORD: 'another' }, 'answered 535 5.7.8 to AUTH PLAIN'],
    ['no login to offer, and sends nothing without', { auth: false }, {}, 'answered 500 to AUTH PLAIN'],
    ['a login that the service has not', {}, NO_LOGIN, 'answered 530 to MAIL FROM'],
    ['no STARTTLS', {}, { SVC_SMTP_TLS: 'starttls' }, 'answered 500 to STARTTLS'],
    ['no TLS', {}, { SVC_SMTP_TLS: 'implicit' }, 'failed: ERR_SSL_WRONG_VERSION_NUMBER'],
    ['a certificate of its own', { tls: 'starttls' }, {}, 'failed: DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['a certificate of its own', { tls: 'implicit' }, {}, 'failed: DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const)('gets no mail when it has %s', async (_, options, variables, message) => {
    const server = await start(options);
    const failure = await failureAt(server, variables);

    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure).toMatchObject({ message: `smtp ${message}`, details: { isRefused: true } });
    expect(server.delivered).toEqual([]);
  });

  it.each(['starttls', 'implicit'] as const)(
    'gets no mail by %s with a certificate for another name',
    async (tls) => {
      const server = await start({ tls, certificateOf: 'mail.example.com' });
      server.beTrusted();

      expect(await failureAt(server)).toMatchObject({
        message: 'smtp failed: ERR_TLS_CERT_ALTNAME_INVALID',
        details: { isRefused: true },
      });
    },
  );

  it('needs a valid certificate also where Node is told to accept any', async () => {
    const server = await start({ tls: 'starttls' });
    jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const failure = await failureAt(server);
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;

    expect(failure).toMatchObject({ message: 'smtp failed: DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('causes no error that repeats its words, the password or the mail', async () => {
    const server = await start();
    const mailer = await mailerWith(server.variables);
    const mail = outgoingMail();
    const words = `${Object.values(server.variables)} ${Object.values(mail)}`.replace(/\s+/g, ' ');

    for (const to of ['CONN', 'AUTH', 'MAIL FROM', 'RCPT TO', 'DATA'] as const)
      for (const status of [421, 554]) {
        server.answer({ to, reply: `${status} ${words}` });
        const shown = inspect(await failureOf(mailer, mail), { depth: 10, showHidden: true });
        for (const secret of [
          server.variables.SVC_SMTP_PASSWORD,
          mail.to,
          mail.subject,
          'a-token-of-the-mail',
        ])
          expect(shown).not.toContain(secret);
      }
  });
});
