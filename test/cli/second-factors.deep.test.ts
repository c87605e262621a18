import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Encryption } from '../../src/secrets/encryption.js';
import { activeSessions, freshAddress, giveRole, PASSWORD } from '../support/accounts.js';
import { type AppOwner, appOwner, forgetSteps } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { TestApp } from '../support/test-app.js';

const FORMER = 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g';
const LATER = 'q8Jc2VxTz7mKp4LrWn6bYd1sHf3gAe9u';

const MANY = 5_000;
const STEP = '/auth/pending-login/second-factor';

/** Logs in with a code, and returns the status of the second step. */
async function logIn({ email, id, app: authenticatorApp }: AppOwner, browser: Browser, service: TestApp) {
  await forgetSteps(service, id);
  await browser.post('/auth/login', { email, password: PASSWORD });
  return (await browser.post(STEP, { totp: authenticatorApp.code() })).status;
}

describe('reset-factors', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_SECOND_STEP_FROM: 'sys_admin' });
  });
  afterAll(() => app.close());

  it('lets the last SYSTEM_ADMIN in again, who lost the phone, and tells the owner', async () => {
    const owner = await appOwner(app);
    await giveRole(app.database, owner.id, 'sys_admin');

    const { code, output } = await runCommand(app, ['reset-factors', owner.email.toUpperCase()]);

    expect(code).toBe(0);
    expect(output).toContain(owner.email);
    expect(await activeSessions(app, owner)).toBe(0);
    const login = await app.browser().post('/auth/login', { email: owner.email, password: PASSWORD });
    expect(login.body.pending_login).toMatchObject({ next: 'setup', methods: [] });
    const mails = await app.mailbox.to(owner.email);
    expect(mails.map(({ subject }) => subject)).toContain('An administrator reset your second factors');
    expect(
      await app.database.rows('SELECT actor_id FROM audit_events WHERE type = $1 AND user_id = $2', [
        'factors.reset',
        owner.id,
      ]),
    ).toEqual([{ actor_id: null }]);
  });

  it('says so when the address has no account, or is none', async () => {
    const email = freshAddress();
    expect(await callCommand(app, ['reset-factors', email])).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${email} has no account.`),
    });
    expect(await callCommand(app, ['reset-factors', 'nobody'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('nobody is not an email address.'),
    });
  });
});

describe(`with the secrets of ${MANY} authenticator apps under a former key`, () => {
  let app: TestApp;
  let owners: AppOwner[];
  beforeAll(async () => {
    const former = await TestApp.start({ SVC_JWT_SECRET_KEY: FORMER });
    owners = [await appOwner(former), await appOwner(former)];
    await addMany(former);
    app = await TestApp.start({ SVC_JWT_SECRET_KEY: `${LATER},${FORMER}` }, { database: former.database });
    await former.nest.close();
  });
  afterAll(() => app.close());

  const withKeys = (keys: string, ...words: string[]) =>
    callCommand(app, words, { SVC_JWT_SECRET_KEY: keys });

  it('doctor warns before the former key is removed, and reseal makes it needless while logins go on', async () => {
    expect((await withKeys(`${LATER},${FORMER}`, 'doctor')).output).toContain(
      `SECRETS_UNDER_FORMER_KEY: Secrets of authenticator apps that a former secret encrypts: ${MANY + 2}.`,
    );
    expect((await withKeys(LATER, 'doctor')).output).toContain(`SECRETS_UNREADABLE`);

    let isDone = false;
    const resealing = runCommand(app, ['reseal'], { SVC_JWT_SECRET_KEY: `${LATER},${FORMER}` }).finally(
      () => {
        isDone = true;
      },
    );
    const statuses = await Promise.all(
      owners.map(async (owner) => {
        const answers: number[] = [];
        while (!isDone) answers.push(await logIn(owner, app.browser(), app));
        return answers;
      }),
    );
    const { code, output, lines } = await resealing;

    expect(lines.at(-1)).toBe(
      `${MANY + 2} of ${MANY + 2} secrets of authenticator apps encrypted with the first key`,
    );
    expect(output).toContain('1000 examined');
    expect(code).toBe(0);
    expect(statuses.flat().length).toBeGreaterThan(owners.length);
    expect(new Set(statuses.flat())).toEqual(new Set([200]));

    const later = await TestApp.start({ SVC_JWT_SECRET_KEY: LATER }, { database: app.database });
    for (const owner of owners) expect(await logIn(owner, later.browser(), later)).toBe(200);
    await later.nest.close();
    expect((await withKeys(LATER, 'reseal')).lines.at(-1)).toBe(
      `0 of ${MANY + 2} secrets of authenticator apps encrypted with the first key`,
    );
    expect((await withKeys(LATER, 'doctor')).output).not.toContain('SECRETS_');
  });

  it('reseal names those that no key opens, and leaves them alone', async () => {
    const { code, output } = await withKeys('a third one that nothing was encrypted with', 'reseal');
    expect(code).toBe(1);
    expect(output).toContain(
      `${MANY + 2} secrets are encrypted with none of the keys in SVC_JWT_SECRET_KEY.`,
    );
    expect(await logIn(owners[0] as AppOwner, app.browser(), app)).toBe(200);
  });
});

async function addMany({ database }: TestApp): Promise<void> {
  const encryption = new Encryption([FORMER], 'totp');
  const secrets = Array.from({ length: MANY }, () => encryption.encrypt(randomBytes(20).toString('hex')));
  await database.rows(
    `INSERT INTO users (id, email)
     SELECT gen_random_uuid(), 'many-' || i || '@example.com' FROM generate_series(1, $1) i`,
    [MANY],
  );
  await database.rows(
    `INSERT INTO totp_factors (user_id, secret, confirmed_at)
     SELECT u.id, s.secret, now()
       FROM (SELECT id, row_number() OVER () AS i FROM users WHERE email LIKE 'many-%') u
       JOIN unnest($1::bytea[]) WITH ORDINALITY AS s (secret, i) USING (i)`,
    [secrets],
  );
}
