import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { freshAddress, loggedIn, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { Authenticator } from '../../support/authenticator.js';
import type { Answer, Browser } from '../../support/browser.js';
import { linkFor } from '../../support/crowd.js';
import { Held } from '../../support/lock-step.js';
import { PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

const OWN_PASSWORD = 'a wholly different phrase';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const codeOf = ({ status, body }: Answer) => body?.code ?? status;
const optionsOf = async (answer: Promise<Answer>) => (await answer).body.options;
const namesOf = async (id: string): Promise<string[]> => {
  const rows = await app.database.rows('SELECT name FROM passkeys WHERE user_id = $1 ORDER BY id', [id]);
  return rows.map(({ name }) => name);
};

/** A person who has had a passkey for long, and an intruder who is logged in to the account too. */
async function invaded() {
  const owner = await PasskeyOwner.in(app);
  await app.database.rows(
    "UPDATE passkeys SET created_at = now() - interval '9 days', name = 'of the owner' WHERE user_id = $1",
    [owner.id],
  );
  return { owner, intruder: await loggedIn(app, owner.email) };
}

/** A request that adds a passkey to the account of a browser, ready to be sent. */
async function registration(browser: Browser, authenticator = new Authenticator()) {
  const credential = authenticator.create(await optionsOf(browser.post('/users/me/passkeys/options')));
  return () => browser.post('/users/me/passkeys', { credential, name: 'of the intruder' });
}

/** A login with the newest passkey of an authenticator, ready to be sent. */
async function loginWith(authenticator: Authenticator, browser = app.browser()) {
  const credential = authenticator.get(await optionsOf(browser.post('/auth/passkey/options')));
  return () => browser.post('/auth/passkey/login', { credential });
}

/** A step-up with the newest passkey of an authenticator, ready to be sent. */
async function stepUpWith(authenticator: Authenticator, browser: Browser) {
  const credential = authenticator.get(await optionsOf(browser.post('/auth/step-up/options')));
  return () => browser.post('/auth/step-up', { credential });
}

/** Has one act on an account come first to its lock, and then requests that wait until that is done. */
async function afterwards(
  id: string,
  first: () => Promise<Answer>,
  late: (() => Promise<Answer>)[],
): Promise<(string | number)[]> {
  const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
  const done = first();
  await held.untilWaiting(1);
  const answers = late.map((send) => send());
  await held.untilWaiting(1 + answers.length);
  await held.release();
  expect((await done).status).toBeLessThan(300);
  return (await Promise.all(answers)).map(codeOf);
}

/** What takes an account away from an intruder, ready to be sent. */
const ENDS: Record<string, (owner: PasskeyOwner) => Promise<() => Promise<Answer>>> = {
  'the owner secures the account': secure,
  'the owner resets the password': async (owner) => {
    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'reset-password');
    return () => app.browser().post('/password/reset', { token, new_password: OWN_PASSWORD });
  },
  'the owner changes the password': async ({ browser }) => {
    const body = { current_password: PASSWORD, new_password: OWN_PASSWORD };
    return () => browser.post('/password/update', body);
  },
  'the owner takes the password away':
    async ({ browser }) =>
    () =>
      browser.send('DELETE', '/password', { current_password: PASSWORD }),
  'the owner ends the other sessions':
    async ({ browser }) =>
    () =>
      browser.delete('/sessions'),
  'an admin disables the account': async ({ id }) => {
    const root = await loggedInAs(app, 'sys_admin');
    return () => root.patch(`/users/${id}`, { disabled: true });
  },
};

async function secure(owner: PasskeyOwner): Promise<() => Promise<Answer>> {
  const token = await linkFor(app.database, { ...owner, cookie: '' }, 'secure-account');
  return () => app.browser().post('/auth/secure-account', { token });
}

describe.each(Object.entries(ENDS))('while %s, an intruder who is logged in', (_, end) => {
  it('adds no passkey, removes none, and keeps no session by a step-up', async () => {
    const { owner, intruder } = await invaded();
    const [passkey] = (await intruder.get('/users/me/passkeys')).body.data;
    const late = [
      await registration(intruder),
      () => intruder.delete(`/users/me/passkeys/${passkey.id}`),
      await stepUpWith(owner.authenticator, intruder),
    ];

    const codes = await afterwards(owner.id, await end(owner), late);

    expect(codes).toEqual(Array(3).fill('Unauthenticated'));
    expect(await namesOf(owner.id)).toEqual(['of the owner']);
    expect((await intruder.get('/users/me')).status).toBe(401);
  });

  it('keeps no session by the password', async () => {
    const { owner, intruder } = await invaded();

    const [code] = await afterwards(owner.id, await end(owner), [
      () => intruder.post('/auth/step-up', { password: PASSWORD }),
    ]);

    expect(['Unauthenticated', 'IncorrectPassword']).toContain(code);
    expect((await intruder.get('/users/me')).status).toBe(401);
  });
});

describe('an intruder with a passkey of three days at most', () => {
  it('does not log in with it while the owner secures the account, though the owner still can', async () => {
    const { owner, intruder } = await invaded();
    const mine = new Authenticator();
    expect((await (await registration(intruder, mine))()).status).toBe(201);

    const late = [await loginWith(mine), await loginWith(owner.authenticator)];
    const codes = await afterwards(owner.id, await secure(owner), late);

    expect(codes).toEqual(['UnknownPasskey', 200]);
    expect(await namesOf(owner.id)).toEqual(['of the owner']);
  });

  it('does not log in with it while an admin disables the account', async () => {
    const { owner, intruder } = await invaded();
    const mine = new Authenticator();
    await (await registration(intruder, mine))();
    const root = await loggedInAs(app, 'sys_admin');

    const disable = () => root.patch(`/users/${owner.id}`, { disabled: true });
    const codes = await afterwards(owner.id, disable, [await loginWith(mine)]);

    expect(codes).toEqual(['AccountDisabled']);
  });

  it('does not log in with it while the owner removes it, nor once the account is gone', async () => {
    const { owner, intruder } = await invaded();
    const mine = new Authenticator();
    const { body } = await (await registration(intruder, mine))();
    const remove = () => owner.browser.delete(`/users/me/passkeys/${body.passkey.id}`);

    expect(await afterwards(owner.id, remove, [await loginWith(mine)])).toEqual(['UnknownPasskey']);

    const login = await loginWith(owner.authenticator);
    const account = { current_password: PASSWORD };
    const leave = () => owner.browser.send('DELETE', '/users/me', account);
    expect(await afterwards(owner.id, leave, [login])).toEqual(['UnknownPasskey']);
  });
});

describe('while the owner secures the account, an intruder who is logged in', () => {
  it('unlinks no identity and takes no password away', async () => {
    const { owner, intruder } = await invaded();
    const identity = uuidv7();
    await app.database.rows(
      `INSERT INTO identities (id, user_id, provider, subject, email, created_at)
       VALUES ($1, $2, 'https://idp.example', $3, $4, now() - interval '9 days')`,
      [identity, owner.id, freshAddress(), owner.email],
    );

    const codes = await afterwards(owner.id, await secure(owner), [
      () => intruder.delete(`/users/me/identities/${identity}`),
      () => intruder.send('DELETE', '/password', { current_password: PASSWORD }),
    ]);

    expect(codes).toEqual(['Unauthenticated', 'Unauthenticated']);
    expect(await app.database.rows('SELECT id FROM identities WHERE id = $1', [identity])).toHaveLength(1);
  });
});

describe('an account without a password, with one identity and one passkey', () => {
  it('keeps one of them when both are removed at once', async () => {
    const owner = await PasskeyOwner.in(app);
    const identity = uuidv7();
    await app.database.rows(
      `INSERT INTO identities (id, user_id, provider, subject) VALUES ($1, $2, 'https://idp.example', $3)`,
      [identity, owner.id, freshAddress()],
    );
    await owner.browser.send('DELETE', '/password', { current_password: PASSWORD });
    const [passkey] = (await owner.browser.get('/users/me/passkeys')).body.data;

    const codes = await afterwards(owner.id, () => owner.browser.delete(`/users/me/passkeys/${passkey.id}`), [
      () => owner.browser.delete(`/users/me/identities/${identity}`),
    ]);

    expect(codes).toEqual(['LastLoginMethod']);
  });
});
