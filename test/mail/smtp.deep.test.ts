import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { signedUp } from '../support/accounts.js';
import type { Behaviour } from '../support/mail-stand-in.js';
import { forgetMails, mailTimePasses, workersRest } from '../support/mails.js';
import { type SmtpAnswer, SmtpStandIn } from '../support/smtp-stand-in.js';
import { TestApp } from '../support/test-app.js';

let smtp: SmtpStandIn;
let app: TestApp;
beforeAll(async () => {
  smtp = await SmtpStandIn.start();
  app = await TestApp.start({ ...smtp.variables, SVC_EMAIL_TIMEOUT_SECONDS: '1' });
});
afterAll(async () => {
  await app.close();
  await smtp.close();
});
afterEach(async () => {
  smtp.answer('accept');
  await workersRest(app.database);
  await forgetMails(app.database);
  smtp.delivered.length = 0;
});

const recipients = () => smtp.delivered.map(({ to }) => to);

/** Signs people up for five minutes, and returns their addresses. */
async function fiveMinutes(): Promise<string[]> {
  const addresses: string[] = [];
  for (let minute = 0; minute < 5; minute++) {
    addresses.push(await signedUp(app), await signedUp(app));
    for (const _step of [1, 2, 3]) await mailTimePasses(app.database, 20);
  }
  return addresses;
}

describe('a mail server', () => {
  it.each<[string, Behaviour<SmtpAnswer>]>([
    ['is busy', { to: 'CONN', reply: '421 4.3.2 Too busy' }],
    ['defers each mail', { to: 'RCPT TO', reply: '450 4.7.1 Greylisted' }],
    ['refuses the login', { to: 'AUTH', reply: '535 5.7.8 Authentication failed' }],
    ['relays nothing', { to: 'RCPT TO', reply: '554 5.7.1 Relay access denied' }],
    ['hangs', 'hang'],
    ['hangs up', 'hang up'],
  ])('that %s for five minutes delays each mail, and loses and doubles none', async (_, behaviour) => {
    smtp.answer(behaviour);
    const addresses = await fiveMinutes();
    expect(recipients()).toEqual([]);

    smtp.answer('accept');
    for (const _step of [1, 2, 3]) await mailTimePasses(app.database, 20);

    expect([...recipients()].sort()).toEqual([...addresses].sort());
  });

  it('whose answers are lost for five minutes gets each mail, every time with the same Message-ID', async () => {
    smtp.answer('lose the answer');
    const addresses = await fiveMinutes();
    smtp.answer('accept');
    for (const _step of [1, 2, 3]) await mailTimePasses(app.database, 20);

    const received = new Map(smtp.delivered.map(({ id, to }) => [id, to]));
    expect([...received.values()].sort()).toEqual([...addresses].sort());
    expect(smtp.delivered.length).toBeGreaterThan(addresses.length);
  });

  it('gets no more than three mails at once', async () => {
    smtp.answer({ to: 'CONN', reply: '421 4.3.2 Too busy' });
    const addresses: string[] = [];
    for (let mail = 0; mail < 12; mail++) addresses.push(await signedUp(app));
    await workersRest(app.database);

    smtp.answer('accept');
    smtp.mostAtOnce = 0;
    for (const _step of [1, 2, 3]) await mailTimePasses(app.database, 60);

    expect([...recipients()].sort()).toEqual([...addresses].sort());
    expect(smtp.mostAtOnce).toBe(3);
  });
});
