import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { wholeAnswer } from '../support/answers.js';
import { detailsOf } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import {
  ASK_PROOF,
  asksToProve,
  barelyLoggedIn,
  PROVE,
  prove,
  twinOf,
  WITH_EMAIL_CODES,
  wrong,
} from '../support/email-codes.js';
import { Held } from '../support/lock-step.js';
import { statementsDuring } from '../support/statements.js';
import type { TestApp } from '../support/test-app.js';
import { TwoReplicas } from '../support/two-replicas.js';

const INVALID = { status: 400, body: { code: 'InvalidCode' } };

let replicas: TwoReplicas;
let app: TestApp;
beforeAll(async () => {
  replicas = await TwoReplicas.start(WITH_EMAIL_CODES);
  app = replicas.app;
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

/** Sessions in which a code does not prove anything, by the reason, each with the code that is presented. */
async function refusals(): Promise<[string, Browser, string][]> {
  const own = await barelyLoggedIn(app);
  const code = await asksToProve(app, own);
  const expired = await barelyLoggedIn(app);
  const late = await asksToProve(app, expired);
  await app.database.rows(
    `UPDATE one_time_tokens SET expires_at = now() WHERE user_id = $1 AND purpose = 'step-up'`,
    [expired.id],
  );
  const other = await barelyLoggedIn(app);
  await asksToProve(app, other);
  const never = await barelyLoggedIn(app);
  return [
    ['wrong', own, wrong(code)],
    ['expired', expired, late],
    ['of another user', other, code],
    ['in a session that never asked', never, code],
  ];
}

describe('a code that proves nothing', () => {
  const send = ({ jar }: Browser, email_code: string) =>
    wholeAnswer(app, PROVE, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...jar].map((pair) => pair.join('=')).join('; '),
      },
      payload: JSON.stringify({ email_code }),
    });

  it('is answered byte for byte alike, and costs the same statements, whatever the reason', async () => {
    const all: [string, unknown, string[]][] = [];
    for (const [reason, browser, code] of await refusals()) {
      let answer: unknown;
      const statements = await statementsDuring(async () => {
        answer = await send(browser, code);
      });
      all.push([reason, answer, statements]);
    }

    for (const [reason, answer, statements] of all)
      expect([reason, answer, statements]).toEqual([reason, all[0]?.[1], all[0]?.[2]]);
    expect(all[0]?.[1]).toMatchObject({ status: 400, body: expect.stringContaining('InvalidCode') });
  });
});

describe('the right code, posted 32 times at once at two replicas,', () => {
  it('proves it once', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [user.id]);

    const answers = replicas.inParallel(32, (replica) => prove(twinOf(user, replica), code));
    await held.untilWaiting(5);
    await held.release();

    expect((await answers).filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await detailsOf(app, user.id, 'step_up.succeeded')).toEqual([{ method: 'email_code' }]);
  });
});

describe('the limits of mailed proofs', () => {
  it('mail once a minute in a session, and leave the code that was mailed good', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    const mails = (await app.mailbox.to(user.email)).length;

    expect(await user.post(ASK_PROOF)).toMatchObject({ status: 202, cookies: [] });
    expect(await app.mailbox.to(user.email)).toHaveLength(mails);
    expect((await prove(user, code)).status).toBe(200);
  });

  it('hold an address to five mails an hour, and leave those of its logins', async () => {
    const user = await barelyLoggedIn(app);
    const ask = async () => {
      user.jar.delete('session_id_code');
      return (await user.post(ASK_PROOF)).status;
    };
    for (let times = 0; times < 5; times++) expect(await ask()).toBe(202);

    expect(await ask()).toBe(429);
    expect((await app.browser().post('/auth/email-code', { email: user.email })).status).toBe(202);
  });

  it('take no sixth try, also among many at once, and tell the owner once', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    const answers = await replicas.inParallel(32, (replica) => prove(twinOf(user, replica), wrong(code)));

    const invalid = answers.filter(({ status }) => status === 400);
    expect(invalid).toHaveLength(5);
    for (const answer of invalid) expect(answer).toMatchObject(INVALID);
    expect(await prove(user, code)).toMatchObject({ status: 429, body: { code: 'TooManyAttempts' } });
    const subjects = (await app.mailbox.to(user.email)).map(({ subject }) => subject);
    expect(
      subjects.filter((each) => each === 'Someone entered wrong passwords in your account'),
    ).toHaveLength(1);
  });
});
