import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Environment } from '../../src/config/environment.js';
import { Encryption } from '../../src/secrets/encryption.js';
import { signedUp } from '../support/accounts.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { SmtpStandIn } from '../support/smtp-stand-in.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let sent: string;
let dead: string;
beforeAll(async () => {
  app = await TestApp.start();
  [sent, dead] = [await signedUp(app), await signedUp(app)];
  await app.mailbox.last(dead);
  await app.database.rows(
    `UPDATE outbox_mails SET outcome = 'dead', last_error = 'mailapi answered 400' WHERE recipient = $1`,
    [dead],
  );
});
afterAll(() => app.close());

const cli = (...words: string[]) => callCommand(app, ['mail', ...words]);
const idOf = (email: string) =>
  app.database.value('SELECT id FROM outbox_mails WHERE recipient = $1', [email]);

describe('mail list', () => {
  it('prints the time, kind, address and state of each mail, newest first', async () => {
    const { code, output, lines } = await runCommand(app, ['mail', 'list']);

    expect(code).toBe(0);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      new RegExp(`^${await idOf(dead)} .* dead  verification  ${dead}  1 attempts  mailapi answered 400$`),
    );
    expect(lines[1]).toMatch(new RegExp(`^${await idOf(sent)} .* sent  verification  ${sent}`));
    expect(output).toContain('1 dead, 1 sent');
  });

  it('lists the mails in one state or to one address, and no more than asked for', async () => {
    const [inState, toAddress] = await Promise.all([
      cli('list', '--state', 'sent', '--limit', '1'),
      cli('list', '--to', dead.toUpperCase()),
    ]);

    expect(inState.lines).toEqual([expect.stringContaining(sent)]);
    expect(toAddress.lines).toEqual([expect.stringContaining(dead)]);
  });

  it('refuses an unknown state, and a limit that is no number', async () => {
    const [state, limit] = await Promise.all([cli('list', '--state', 'lost'), cli('list', '--limit', 'all')]);

    expect(state).toMatchObject({ code: 1, output: expect.stringContaining('--state must be one of') });
    expect(limit).toMatchObject({ code: 1, output: expect.stringContaining('--limit must be') });
  });
});

describe('mail show', () => {
  it('prints everything about a mail except its content', async () => {
    const unknown = randomUUID();
    const [known, none] = await Promise.all([cli('show', await idOf(dead)), cli('show', unknown)]);

    expect(known.code).toBe(0);
    expect(known.output).toContain(`to: ${dead}`);
    expect(known.output).toContain('lastError: mailapi answered 400');
    expect(known.output).not.toContain('content');
    expect(none).toMatchObject({ code: 1, output: `There is no mail ${unknown}.\n` });
  });
});

describe('mail retry', () => {
  it('sends a dead letter again, and no mail that was sent', async () => {
    const email = await signedUp(app);
    const { text } = await app.mailbox.last(email);
    const { jwtSecretKey } = app.nest.get(Environment);
    await app.database.rows(
      `UPDATE outbox_mails m SET finished_at = now(), outcome = 'dead', content = $2 WHERE recipient = $1`,
      [email, new Encryption(jwtSecretKey, 'mail').encrypt(JSON.stringify({ text, html: text }))],
    );

    expect((await cli('retry', await idOf(sent))).code).toBe(1);
    const { code, output } = await cli('retry', await idOf(email));

    expect([code, output]).toEqual([0, 'Put back into the outbox: 1. The service sends them.\n']);
    expect(await app.mailbox.to(email)).toHaveLength(2);
    expect(await app.mailbox.to(sent)).toHaveLength(1);
  });

  it('asks which mail to send again', async () => {
    expect((await cli('retry')).output).toContain('Say which mail, or --all.');
  });
});

describe('mail test', () => {
  let smtp: SmtpStandIn;
  let mailapi: MailapiStandIn;
  beforeAll(async () => {
    [smtp, mailapi] = [await SmtpStandIn.start({ tls: 'implicit' }), await MailapiStandIn.start()];
  });
  afterAll(() => Promise.all([smtp.close(), mailapi.close()]));

  const cliWith = (variables: Record<string, string>, address = 'ada@example.org') =>
    runCommand(app, ['mail', 'test', address], variables);

  it('sends one mail through each provider, past the outbox, and prints that it was taken over', async () => {
    const before = await app.database.rows('SELECT id FROM outbox_mails');
    const { code, lines } = await cliWith({
      ...mailapi.variables,
      ...smtp.variables,
      SVC_EMAIL_FALLBACK_PROVIDER: 'mailapi',
      NODE_EXTRA_CA_CERTS: await smtp.writeCertificate(),
    });

    expect(lines).toEqual([
      expect.stringMatching(/^smtp took the mail over\./),
      expect.stringMatching(/^mailapi took the mail over\./),
    ]);
    expect(code).toBe(0);
    for (const { delivered } of [smtp, mailapi])
      expect(delivered).toMatchObject([{ to: 'ada@example.org', subject: 'This is a test email' }]);
    expect(await app.database.rows('SELECT id FROM outbox_mails')).toEqual(before);
  });

  it('prints what the provider answered, and what the service would do, and exits with 1', async () => {
    const trusted = { ...smtp.variables, NODE_EXTRA_CA_CERTS: await smtp.writeCertificate() };
    smtp.answerNext(
      { to: 'MAIL FROM', reply: '553 5.7.1 Not your address' },
      { to: 'RCPT TO', reply: '550 5.1.1 No such user' },
      { to: 'DATA', reply: '451 4.3.0 Try again' },
    );

    const answers = [
      'smtp answered 553 5.7.1 to MAIL FROM. The service would keep all mails until an operator repairs the configuration.',
      'smtp answered 550 5.1.1 to RCPT TO (no such mailbox). The service would give this mail up.',
      'smtp answered 451 4.3.0 to DATA. The service would try again.',
    ];
    for (const answer of answers) expect(await cliWith(trusted)).toMatchObject({ code: 1, lines: [answer] });
  });

  it('refuses what is no address', async () => {
    const { code, output } = await cli('test', 'ada');

    expect([code, output]).toEqual([1, 'ada is not an email address.\n']);
  });
});
