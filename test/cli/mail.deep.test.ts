import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Environment } from '../../src/config/environment.js';
import { Encryption } from '../../src/secrets/encryption.js';
import { signedUp } from '../support/accounts.js';
import { runCommand } from '../support/command-line.js';
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

const cli = (...words: string[]) => runCommand(app, ['mail', ...words]);
const idOf = (email: string) =>
  app.database.value('SELECT id FROM outbox_mails WHERE recipient = $1', [email]);

describe('mail list', () => {
  it('prints the time, kind, address and state of each mail, newest first', async () => {
    const { code, output, lines } = await cli('list');

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
