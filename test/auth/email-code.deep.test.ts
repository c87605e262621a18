import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashToken, mintToken } from '../../src/secrets/token.js';
import { auc, shuffled } from '../bench/statistics.js';
import { activeSessions, freshAddress, loggedIn, verified } from '../support/accounts.js';
import { wholeAnswer } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { crowd } from '../support/crowd.js';
import {
  ASK,
  type Asked,
  asksInVain,
  asksToLogIn,
  LOGIN,
  logIn,
  twinOf,
  WITH_EMAIL_CODES,
  wrong,
} from '../support/email-codes.js';
import { Held } from '../support/lock-step.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { codeIn, mailTimePasses } from '../support/mails.js';
import { ServiceProcess, START_PATIENCE_MS } from '../support/service-process.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { from, TwoReplicas } from '../support/two-replicas.js';
import { until } from '../support/until.js';

const INVALID = { status: 400, body: { code: 'InvalidCode' } };
const ACCEPTED = { status: 202 };
const REFUSED = { status: 429, body: { code: 'TooManyRequests' } };

let replicas: TwoReplicas;
let app: TestApp;
beforeAll(async () => {
  replicas = await TwoReplicas.start(WITH_EMAIL_CODES);
  app = replicas.app;
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

const idOf = (email: string) => app.database.value('SELECT id FROM users WHERE email = $1', [email]);

const expire = ({ jar }: Browser) =>
  app.database.rows('UPDATE mailed_codes SET expires_at = now() WHERE browser_hash = sha256($1::bytea)', [
    jar.get('session_id_code'),
  ]);

/** Browsers that have a code which does not log in, by the reason, each with the code that it presents. */
async function refusals(): Promise<[string, Browser, string][]> {
  const used = await asksToLogIn(app);
  await logIn(twinOf(used.browser, app), used.code);
  const expired = await asksToLogIn(app);
  await expire(expired.browser);
  const here = await asksToLogIn(app);
  const other = await asksToLogIn(app);
  const disabled = await asksToLogIn(app);
  await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled.email]);
  const exhausted = await asksToLogIn(app);
  for (let guess = 0; guess < 5; guess++) await logIn(exhausted.browser, wrong(exhausted.code));
  const planted = app.browser();
  planted.jar.set('session_id_code', 'guessable');
  return [
    ['wrong', here.browser, wrong(here.code)],
    ['used', used.browser, used.code],
    ['expired', expired.browser, expired.code],
    ['of another browser', here.browser, other.code],
    ['in a browser that never asked', app.browser(), here.code],
    ['in a browser with a cookie that was never minted', planted, here.code],
    ['for an address without an account', await asksInVain(app), here.code],
    ['of an account that is disabled', disabled.browser, disabled.code],
    ['after five wrong ones', exhausted.browser, exhausted.code],
  ];
}

describe('a code that does not log in', () => {
  const send = ({ jar }: Browser, code: string) =>
    wholeAnswer(app, LOGIN, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...jar].map((pair) => pair.join('=')).join('; '),
      },
      payload: JSON.stringify({ code }),
    });

  it('is answered byte for byte alike, whatever the reason', async () => {
    const answers = [];
    for (const [reason, browser, code] of await refusals())
      answers.push([reason, await send(browser, code)] as const);
    for (const [reason, answer] of answers) expect([reason, answer]).toEqual([reason, answers[0]?.[1]]);
    expect(answers[0]?.[1]).toMatchObject({ status: 400, body: expect.stringContaining('InvalidCode') });
  });

  it('costs the same statements, whatever the reason', async () => {
    const statements = [];
    for (const [reason, browser, code] of await refusals())
      statements.push([reason, await statementsDuring(() => send(browser, code))] as const);
    for (const [reason, each] of statements) expect([reason, each]).toEqual([reason, statements[0]?.[1]]);
    expect(statements[0]?.[1].length).toBeGreaterThan(2);
  });

  it('takes one of five tries, also among many at once at two replicas', async () => {
    const { browser, code } = await asksToLogIn(app);
    await replicas.inParallel(32, (replica) => logIn(twinOf(browser, replica), wrong(code)));
    expect(await logIn(browser, code)).toMatchObject(INVALID);
    expect(
      await app.database.value('SELECT tries FROM mailed_codes WHERE browser_hash = sha256($1::bytea)', [
        browser.jar.get('session_id_code'),
      ]),
    ).toBe(5);
  });
});

describe('the right code, posted 32 times at once at two replicas,', () => {
  it('starts one session', async () => {
    const { browser, email, code } = await asksToLogIn(app);

    const answers = await replicas.inParallel(32, (replica) => logIn(twinOf(browser, replica), code));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toMatchObject(INVALID);
    expect(await activeSessions(app, { id: await idOf(email) })).toBe(1);
  });

  it('starts one session also where all that may try have come as far as the lock', async () => {
    const { browser, email, code } = await asksToLogIn(app);
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [email]);

    const answers = replicas.inParallel(32, (replica) => logIn(twinOf(browser, replica), code));
    await held.untilWaiting(5);
    await held.release();

    expect((await answers).filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await activeSessions(app, { id: await idOf(email) })).toBe(1);
  });
});

describe('a login that waits for a change of its account', () => {
  const afterChange = async ({ browser, email, code }: Asked, change: string) => {
    const id = await idOf(email);
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
    const answer = logIn(browser, code);
    await held.untilWaiting(1);
    await held.run(change.replaceAll('$id', `'${id}'`));
    await held.release();
    return answer;
  };

  it.each([
    ['is disabled', 'UPDATE users SET disabled_at = now() WHERE id = $id'],
    ['moves to another address', `UPDATE users SET email = 'moved-' || email WHERE id = $id`],
    ['is deleted', 'DELETE FROM users WHERE id = $id'],
  ])('is refused when it %s', async (_, change) => {
    expect(await afterChange(await asksToLogIn(app), change)).toMatchObject(INVALID);
  });

  it('takes the second step when an authenticator app is added', async () => {
    const answer = await afterChange(
      await asksToLogIn(app),
      `INSERT INTO totp_factors (user_id, secret, confirmed_at) VALUES ($id, 'sealed', now())`,
    );
    expect(answer).toMatchObject({ status: 202, body: { pending_login: { methods: ['totp'] } } });
  });
});

describe('a stranger', () => {
  it('who has the owner read the code aloud needs it in the browser that asked, not in another', async () => {
    const { code } = await asksToLogIn(app);
    expect(await logIn(app.browser(), code)).toMatchObject(INVALID);
  });

  it('who asks for the same address changes nothing of the code that the owner asked for', async () => {
    const owner = await asksToLogIn(app);
    await asksToLogIn(app, owner.email);
    expect((await logIn(owner.browser, owner.code)).status).toBe(200);
  });

  it('who uses up the mails of an address leaves those of a device that the account knows', async () => {
    const owner = await loggedIn(app);
    for (let times = 0; times < 5; times++)
      expect(await app.browser().post(ASK, { email: owner.email })).toMatchObject(ACCEPTED);
    expect(await app.browser().post(ASK, { email: owner.email })).toMatchObject(REFUSED);

    expect(await owner.post(ASK, { email: owner.email })).toMatchObject(ACCEPTED);
    expect((await logIn(owner, await app.mailbox.code(owner.email))).status).toBe(200);
  });

  it('finds neither the code nor the cookie in the database', async () => {
    const email = await verified(app);
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [email]);
    const browser = app.browser();
    await browser.post(ASK, { email });
    await held.untilWaiting(1);
    const waiting = await app.database.rows('SELECT secrets FROM link_requests WHERE email = $1', [email]);
    await held.release();
    const { text } = await app.mailbox.last(email);
    const code = codeIn(text);
    const rows = [
      ...waiting,
      ...(await app.database.rows('SELECT * FROM mailed_codes')),
      ...(await app.database.rows('SELECT * FROM one_time_tokens')),
    ];
    for (const secret of [code, code.replace('-', ''), browser.jar.get('session_id_code') ?? '']) {
      expect(secret).not.toBe('');
      for (const stored of rows.flatMap((row) => Object.values(row)).filter(Buffer.isBuffer))
        expect(stored.includes(Buffer.from(secret))).toBe(false);
    }
  });
});

describe('the limits of mailed codes', () => {
  it('mail once a minute to an address, for each browser', async () => {
    const { browser, email, code } = await asksToLogIn(app);
    const again = await browser.post(ASK, { email });
    expect(again).toMatchObject({ ...ACCEPTED, cookies: [] });
    expect(await app.mailbox.to(email)).toHaveLength(1);
    expect((await logIn(browser, code)).status).toBe(200);

    await app.browser().post(ASK, { email });
    expect(await app.mailbox.to(email)).toHaveLength(2);
  });

  it('hold those who ask to five an hour for an address, with and without an account', async () => {
    for (const email of [await verified(app), freshAddress()]) {
      for (let times = 0; times < 5; times++)
        expect(await app.browser().post(ASK, { email })).toMatchObject(ACCEPTED);
      expect(await app.browser().post(ASK, { email })).toMatchObject(REFUSED);
    }
  });

  it('are used up by no other mail, and use up none', async () => {
    const email = await verified(app);
    for (let times = 0; times < 5; times++) await app.browser().post(ASK, { email });
    expect((await app.browser().post('/password/forgot', { email })).status).toBe(202);
    expect((await app.mailbox.last(email)).subject).toBe('Set a new password');
  });

  it('hold a network to the requests and the wrong codes that the settings say', async () => {
    const limited = await TwoReplicas.start({
      ...WITH_EMAIL_CODES,
      SVC_LIMIT_EMAIL_CODE_PER_NETWORK: '2/1h',
      SVC_LIMIT_VERIFY_PER_NETWORK: '2/1h',
    });
    try {
      const ask = () => limited.app.browser().post(ASK, { email: freshAddress() }, from('203.0.113.7'));
      expect([(await ask()).status, (await ask()).status]).toEqual([202, 202]);
      expect(await ask()).toMatchObject(REFUSED);

      const guess = () => limited.app.browser().post(LOGIN, { code: 'AAAA-AAAA' }, from('203.0.113.8'));
      expect(await guess()).toMatchObject(INVALID);
      expect(await guess()).toMatchObject(INVALID);
      expect(await guess()).toMatchObject(REFUSED);

      // The holder of a right code is let in from that network too.
      const { browser, code } = await asksToLogIn(limited.app);
      expect((await browser.post(LOGIN, { code }, from('203.0.113.8'))).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('while the mail provider is down', () => {
  let mailapi: MailapiStandIn;
  let service: TestApp;
  beforeAll(async () => {
    mailapi = await MailapiStandIn.start();
    service = await TestApp.start({ ...mailapi.variables, ...WITH_EMAIL_CODES });
  });
  afterEach(() => mailapi.answer('accept'));
  afterAll(async () => {
    await service.close();
    await mailapi.close();
  });

  it('a request for a code is answered alike, and its mail is sent later, while the code is good', async () => {
    mailapi.answer({ status: 503 });
    const email = await verified(service);
    const browser = service.browser();
    expect(await browser.post(ASK, { email })).toMatchObject(ACCEPTED);
    await until(() => service.database.value('SELECT EXISTS (SELECT FROM mail_outages)'));

    mailapi.answer('accept');
    await mailTimePasses(service.database, 60);
    await until(async () => mailapi.delivered.length > 0);

    const [mail] = mailapi.delivered;
    expect(mail?.to).toBe(email);
    expect((await logIn(browser, codeIn(mail?.text ?? ''))).status).toBe(200);
  });
});

describe('the time of an answer', () => {
  /** Of each: by chance alone, an AUC leaves the range below once in millions of runs. */
  const SAMPLES = 2_000;
  /** What the first requests take says nothing. */
  const WARM_UP = 300;

  let database: TestDatabase;
  let service: ServiceProcess;
  let agent: Agent;
  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await ServiceProcess.start(database, { ...WITH_EMAIL_CODES, SVC_RATE_LIMITS: 'off' });
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }, START_PATIENCE_MS);
  afterAll(async () => {
    agent.destroy();
    await service.kill();
    await database.close();
  });

  /** Milliseconds from a request to the end of its answer. */
  function timeOf(path: string, body: object, status: number, cookie = ''): Promise<number> {
    return new Promise((resolve, reject) => {
      const payload = JSON.stringify(body);
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        ...(cookie && { cookie }),
      };
      const startedAt = performance.now();
      request(service.url + path, { method: 'POST', agent, headers }, (answer) => {
        if (answer.statusCode !== status) reject(new Error(`${path} was answered ${answer.statusCode}`));
        answer.resume().on('end', () => resolve(performance.now() - startedAt));
      })
        .on('error', reject)
        .end(payload);
    });
  }

  /** How well the times of two kinds tell them apart: 0.5 is not at all. */
  async function revealed(kinds: Record<'one' | 'other', (turn: number) => Promise<number>>) {
    for (let turn = 0; turn < WARM_UP; turn++) await kinds.one(SAMPLES + turn);
    const turns = Array.from({ length: 2 * SAMPLES }, (_, turn) => turn);
    const times: Record<'one' | 'other', number[]> = { one: [], other: [] };
    for (const turn of shuffled(turns)) {
      const kind = turn % 2 === 0 ? 'one' : 'other';
      times[kind].push(await kinds[kind](Math.floor(turn / 2)));
    }
    return auc(times.one, times.other);
  }

  it.each(['known', 'disabled'])(
    'to a request tells nobody of a %s address from an unknown one',
    async (kind) => {
      const people = await crowd(database, SAMPLES + WARM_UP);
      if (kind === 'disabled') await database.rows('UPDATE users SET disabled_at = now()');
      const found = await revealed({
        one: (turn) => timeOf(ASK, { email: people[turn]?.email }, 202),
        other: () => timeOf(ASK, { email: freshAddress() }, 202),
      });
      expect(found).toBeGreaterThan(0.45);
      expect(found).toBeLessThan(0.55);
    },
    120_000,
  );

  it('to a wrong code tells nobody whether the address that was asked for has an account', async () => {
    const people = await crowd(database, SAMPLES + WARM_UP);
    const [ofKnown, ofUnknown] = [people.map(() => mintToken()), people.map(() => mintToken())];
    await database.rows(
      `INSERT INTO mailed_codes (browser_hash, purpose, salt, token_hash, expires_at)
       SELECT browser_hash, 'login', sha256(browser_hash), sha256(browser_hash), now() + interval '10 minutes'
         FROM unnest($1::bytea[]) AS browser_hash`,
      [[...ofKnown, ...ofUnknown].map(hashToken)],
    );
    await database.rows(
      `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
       SELECT gen_random_uuid(), id, 'login', sha256(browser_hash), email, now() + interval '10 minutes'
         FROM users JOIN unnest($1::uuid[], $2::bytea[]) AS known (user_id, browser_hash) ON user_id = id`,
      [people.map(({ id }) => id), ofKnown.map(hashToken)],
    );
    const guess = (token: string) => timeOf(LOGIN, { code: 'AAAA-AAAA' }, 400, `session_id_code=${token}`);

    const found = await revealed({
      one: (turn) => guess(ofKnown[turn] as string),
      other: (turn) => guess(ofUnknown[turn] as string),
    });
    expect(found).toBeGreaterThan(0.45);
    expect(found).toBeLessThan(0.55);
  }, 120_000);
});
