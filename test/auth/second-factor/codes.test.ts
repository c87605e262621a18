import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedInAs, PASSWORD } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import {
  type AppOwner,
  appOwner,
  forgetSteps,
  loggedInWithCode,
  pendingLogin,
  SECOND_FACTOR,
} from '../../support/authenticator-app.js';
import type { Answer, Browser } from '../../support/browser.js';
import { emptyOrg, linkFor } from '../../support/crowd.js';
import { place } from '../../support/orgs.js';
import type { TestApp } from '../../support/test-app.js';
import { TwoReplicas } from '../../support/two-replicas.js';

let replicas: TwoReplicas;
let app: TestApp;
beforeAll(async () => {
  replicas = await TwoReplicas.start({ SVC_LIMIT_FACTOR_PER_USER: '6/1h' });
  app = replicas.app;
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

const WRONG = { status: 400, body: { code: 'InvalidCode' } };
const LIMITED = { status: 429, body: { code: 'TooManyAttempts' } };

const guess = (browser: Browser, { app: its }: AppOwner) =>
  browser.post(SECOND_FACTOR, { totp: its.wrongCode() });

/** Guesses one after the other, until the service takes no more; returns how many it took, and its refusal. */
async function guessAll(
  browser: Browser,
  owner: AppOwner,
): Promise<{ taken: number; refused: Answer; minutes: number }> {
  for (let taken = 0; taken < 20; taken++) {
    const answer = await guess(browser, owner);
    if (answer.status === 400) continue;
    return { taken, refused: answer, minutes: Math.ceil(Number(answer.headers['retry-after']) / 60) };
  }
  throw new Error('the service takes any number of guesses');
}

const alarms = async ({ email }: AppOwner) =>
  (await app.mailbox.to(email)).filter(({ subject }) => subject === 'Wrong codes for your account').length;

describe('wrong codes of a thief who has the password', () => {
  it('are five, then comes a wait, in which the right one does not count either', async () => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);

    const { taken, refused, minutes } = await guessAll(thief, owner);
    expect(taken).toBe(5);
    expect(refused).toMatchObject(LIMITED);
    expect(minutes).toBe(15);
    expect(await thief.post(SECOND_FACTOR, { totp: owner.app.code() })).toMatchObject(LIMITED);
    const [recoveryCode] = owner.recoveryCodes;
    expect(await thief.post(SECOND_FACTOR, { recovery_code: recoveryCode })).toMatchObject(LIMITED);

    expect(await detailsOf(app, owner.id, 'login.failed')).toEqual(Array(5).fill({ reason: 'InvalidCode' }));
    expect(await detailsOf(app, owner.id, 'login.limited')).toEqual([{ seconds: 900 }]);
  });

  it('are five also at once at two replicas, and mailed to the owner once', async () => {
    const owner = await appOwner(app);
    const cookies = [...(await pendingLogin(app, owner)).jar];
    const answers = await replicas.inParallel(32, (replica) => {
      const thief = replica.browser();
      for (const [name, value] of cookies) thief.jar.set(name, value);
      return guess(thief, owner);
    });

    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(27);
    expect(await alarms(owner)).toBe(1);
    expect((await app.mailbox.last(owner.email)).text).toMatch(/token=/);
  });

  it('are followed by waits that double', async () => {
    const owner = await appOwner(app);
    for (const minutes of [15, 30, 60]) {
      expect(await guessAll(await pendingLogin(app, owner), owner)).toMatchObject({ taken: 5, minutes });
      await replicas.wait(minutes);
    }
  });

  it('are told to the owner also when the thief is so slow that only the limit of the day refuses them', async () => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);
    for (let guesses = 0; guesses < 30; guesses++) {
      if (guesses > 0 && guesses % 4 === 0) await replicas.wait(15);
      expect(await guess(thief, owner)).toMatchObject(WRONG);
    }

    expect(await guess(thief, owner)).toMatchObject(LIMITED);
    const [limited, ...others] = await detailsOf(app, owner.id, 'login.limited');
    expect(limited).toEqual({ seconds: expect.closeTo(86_400 - 7 * 900, -2) });
    expect(others).toEqual([]);
    expect(await alarms(owner)).toBe(1);
  });

  it('stay counted while the owner logs in from browsers that the account does not know', async () => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);
    for (let guesses = 0; guesses < 4; guesses++) await guess(thief, owner);

    await loggedInWithCode(app, owner);
    expect((await guessAll(thief, owner)).taken).toBe(1);
  });

  it('count together with wrong recovery codes, and begin no count anew with another login', async () => {
    const owner = await appOwner(app);
    for (let login = 0; login < 4; login++) {
      const thief = await pendingLogin(app, owner);
      expect(await thief.post(SECOND_FACTOR, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' })).toMatchObject(WRONG);
    }
    expect((await guessAll(await pendingLogin(app, owner), owner)).taken).toBe(1);
  });

  it('are counted apart from passwords: neither uses up the other', async () => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);
    await guessAll(thief, owner);
    await pendingLogin(app, owner);

    for (let guesses = 0; guesses < 10; guesses++)
      await app.browser().post('/auth/login', { email: owner.email, password: 'a wrong password' });
    expect(await app.browser().post('/auth/login', { email: owner.email, password: PASSWORD })).toMatchObject(
      LIMITED,
    );
    await replicas.wait(15);
    expect(await guess(thief, owner)).toMatchObject(WRONG);
  });

  it('do not keep the owner out of a browser that the account knows', async () => {
    const owner = await appOwner(app);
    await guessAll(await pendingLogin(app, owner), owner);

    await owner.browser.post('/auth/logout');
    expect(await owner.browser.post('/auth/login', { email: owner.email, password: PASSWORD })).toMatchObject(
      {
        status: 202,
      },
    );
    expect((await owner.browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
  });

  it('stay counted while the owner logs in from a known browser', async () => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);
    for (let guesses = 0; guesses < 4; guesses++) await guess(thief, owner);

    await owner.browser.post('/auth/login', { email: owner.email, password: PASSWORD });
    expect((await owner.browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
    expect((await guessAll(thief, owner)).taken).toBe(1);
  });

  it('are forgiven by no reset of the password, and five for all the browsers that resets make known', async () => {
    const owner = await appOwner(app);
    const reader = app.browser();
    const reset = async () => {
      const token = await linkFor(app.database, { ...owner, cookie: '' }, 'reset-password');
      const { status } = await reader.post('/password/reset', { token, new_password: PASSWORD });
      expect(status).toBe(204);
      await reader.post('/auth/login', { email: owner.email, password: PASSWORD });
    };
    await guessAll(await pendingLogin(app, owner), owner);

    await reset();
    expect((await guessAll(reader, owner)).taken).toBe(5);
    await reset();
    expect((await guessAll(reader, owner)).taken).toBe(0);
    expect(await guess(await pendingLogin(app, owner), owner)).toMatchObject(LIMITED);
  });
});

describe('the set-up of the first factor', () => {
  const newMember = async () => {
    const orgId = await emptyOrg(app.database);
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      orgId,
    ]);
    const user = await loggedInAs(app, 'member');
    await place(app.database, user.id, orgId);
    return user;
  };

  it('counts wrong codes as well', async () => {
    const browser = await pendingLogin(app, await newMember());
    await browser.post('/auth/pending-login/totp');
    const confirm = () => browser.post('/auth/pending-login/totp/confirm', { code: '123456' });
    for (let guesses = 0; guesses < 5; guesses++) expect(await confirm()).toMatchObject(WRONG);
    expect(await confirm()).toMatchObject(LIMITED);
  });

  it('shows so many secrets an hour, whatever the login', async () => {
    const user = await newMember();
    for (let secrets = 0; secrets < 6; secrets++) {
      const browser = await pendingLogin(app, user);
      expect((await browser.post('/auth/pending-login/totp')).status).toBe(200);
    }
    const browser = await pendingLogin(app, user);
    expect(await browser.post('/auth/pending-login/totp')).toMatchObject({
      status: 429,
      body: { code: 'TooManyRequests' },
    });
  });
});

describe('wrong codes of an owner', () => {
  it('are forgiven by the right one in a browser that the account knows', async () => {
    const owner = await appOwner(app);
    const { browser } = owner;
    for (let logins = 0; logins < 2; logins++) {
      await browser.post('/auth/login', { email: owner.email, password: PASSWORD });
      for (let guesses = 0; guesses < 4; guesses++) expect(await guess(browser, owner)).toMatchObject(WRONG);
      await forgetSteps(app, owner.id);
      expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
    }
    expect(await alarms(owner)).toBe(0);
  });

  it('within a session count apart from those of logins', async () => {
    const owner = await appOwner(app);
    const stolen = app.browser();
    stolen.jar.set('session_id', owner.browser.jar.get('session_id') ?? '');
    const atStepUp = () => stolen.post('/auth/step-up', { totp: owner.app.wrongCode() });
    for (let guesses = 0; guesses < 5; guesses++) expect(await atStepUp()).toMatchObject(WRONG);
    expect(await atStepUp()).toMatchObject(LIMITED);
    expect((await guessAll(await pendingLogin(app, owner), owner)).taken).toBe(5);

    expect(await stolen.post('/auth/step-up', { totp: owner.app.code() })).toMatchObject(LIMITED);
    expect(await detailsOf(app, owner.id, 'step_up.failed')).toHaveLength(5);
  });
});

describe('a code that is refused for another reason than the code', () => {
  it('costs no attempt', async () => {
    const owner = await appOwner(app);
    const browser = await pendingLogin(app, owner);
    for (let tries = 0; tries < 6; tries++)
      expect(await browser.post('/auth/pending-login/totp/confirm', { code: '123456' })).toMatchObject({
        status: 409,
        body: { code: 'TotpAlreadyOn' },
      });
    expect((await guessAll(browser, owner)).taken).toBe(5);
  });
});
