import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { crowd, emptyOrg, invitationFor, linkFor, type Person, signupFor } from '../support/crowd.js';
import { answers, PwnedPasswordsStandIn, prefixOf } from '../support/pwned-passwords-stand-in.js';
import { TestApp } from '../support/test-app.js';

const STOLEN = 'a river of stolen horses';
const CLEAN = 'a river of horses that are mine';

let pwned: PwnedPasswordsStandIn;
let app: TestApp;
beforeAll(async () => {
  pwned = await PwnedPasswordsStandIn.start();
  pwned.list(STOLEN);
  app = await TestApp.start(pwned.variables);
});
afterAll(async () => {
  await app.close();
  await pwned.close();
});
beforeEach(() => {
  pwned.behaviour = answers;
  pwned.prefixes.length = 0;
});

const signup = (password: string, email = freshAddress()) =>
  app.browser().post('/auth/signup', { email, password });

async function resetLink(): Promise<string> {
  const [person] = await crowd(app.database, 1);
  return linkFor(app.database, person as Person, 'reset-password');
}

const invitation = async () => invitationFor(app.database, freshAddress(), await emptyOrg(app.database));

describe('a stolen password', () => {
  it.each<[string, string, () => Promise<object>]>([
    ['/auth/signup', 'password', async () => ({ email: freshAddress() })],
    ['/auth/signup-org', 'password', async () => ({ email: freshAddress(), org_name: 'Initech' })],
    ['/auth/verify-email', 'new_password', () => signupFor(app.database, freshAddress())],
    ['/invitations/accept', 'password', async () => ({ token: await invitation() })],
    ['/password/reset', 'new_password', async () => ({ token: await resetLink() })],
  ])('is refused at POST %s', async (path, field, others) => {
    const { cookie: _, ...body } = (await others()) as { cookie?: string };

    const { status, body: problem } = await app.browser().post(path, { ...body, [field]: STOLEN });

    expect({ status, code: problem.code }).toEqual({ status: 400, code: 'WeakPassword' });
    expect(problem.errors).toEqual([
      { field, messages: ['appears in lists of stolen passwords'], reasons: [{ code: 'in_breaches' }] },
    ]);
    expect(pwned.prefixes).toEqual([prefixOf(STOLEN)]);
  });

  it('is refused at POST /password/update, where the current one is right', async () => {
    const browser = await loggedIn(app, await verified(app));
    const update = (current_password: string) =>
      browser.post('/password/update', { current_password, new_password: STOLEN });

    expect((await update('not the current one')).body.code).toBe('IncorrectPassword');
    expect(pwned.prefixes).toEqual([]);
    expect((await update(PASSWORD)).body).toMatchObject({
      code: 'WeakPassword',
      errors: [{ field: 'new_password', messages: ['appears in lists of stolen passwords'] }],
    });
  });

  it('is looked up and refused alike for an address with an account and without', async () => {
    const known = await verified(app);

    for (const password of [STOLEN, CLEAN]) {
      const [one, other] = [await signup(password, known), await signup(password)];
      expect([one.status, one.body.errors]).toEqual([other.status, other.body.errors]);
    }

    expect(pwned.prefixes).toEqual([STOLEN, STOLEN, CLEAN, CLEAN].map(prefixOf));
  });

  it('is known by its count: the hashes that pad an answer are not taken for it', async () => {
    const padding = 'a hash that is only padding';
    pwned.list(padding, 0);

    expect((await signup(padding)).status).toBe(202);
    expect(pwned.prefixes).toEqual([prefixOf(padding)]);
  });

  it('is not looked up when it is weak anyway, nor when a user logs in with it', async () => {
    expect((await signup('password')).body.code).toBe('WeakPassword');
    const email = await verified(app, { password: STOLEN });

    await expect(loggedIn(app, email, STOLEN)).resolves.toBeDefined();
    expect(pwned.prefixes).toEqual([]);
  });

  it('is accepted when Pwned Passwords answers 503', async () => {
    pwned.behaviour = (response, range) => void response.writeHead(503).end(range);
    expect((await signup(STOLEN)).status).toBe(202);
  });
});
