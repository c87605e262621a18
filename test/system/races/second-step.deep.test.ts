import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashRecoveryCode, mintRecoveryCodes } from '../../../src/auth/second-factor/recovery-codes.js';
import { Role } from '../../../src/http/role.js';
import { Encryption } from '../../../src/secrets/encryption.js';
import { hashToken, mintToken } from '../../../src/secrets/token.js';
import { PASSWORD } from '../../support/accounts.js';
import { AuthenticatorApp } from '../../support/authenticator-app.js';
import { crowd, emptyOrg, invitationFor, linkFor, type Person } from '../../support/crowd.js';
import { statusOf } from '../../support/send.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { expectOneWinner, inRounds, race, raceTo } from './race.js';

const SECRET = 'a secret that only the tests know and of 32 or more';
const STEP = '/auth/pending-login/second-factor';

let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 2, { SVC_JWT_SECRET_KEY: SECRET, SVC_APP_MODE: 'b2b' });
});
afterAll(async () => {
  await service.kill();
  await database.close();
});

/** The owner of an authenticator app, with a session of both steps. */
interface Owner extends Person {
  app: AuthenticatorApp;
  codes: string[];
}

/** People who have just logged in. */
async function people(size: number, options?: Parameters<typeof crowd>[2], aal = 1): Promise<Person[]> {
  const made = await crowd(database, size, options);
  await database.rows('UPDATE sessions SET authenticated_at = now(), aal = $2 WHERE user_id = ANY ($1)', [
    made.map(({ id }) => id),
    aal,
  ]);
  return made;
}

async function newOwner(options?: Parameters<typeof crowd>[2]): Promise<Owner> {
  const [person] = (await people(1, options, 2)) as [Person];
  const app = await addSecret(person, 'now()');
  const codes = mintRecoveryCodes();
  await database.rows('INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])', [
    person.id,
    codes.map(hashRecoveryCode),
  ]);
  return { ...person, app, codes };
}

/** A secret of a person, confirmed or not yet. */
async function addSecret({ id }: Person, confirmedAt: 'now()' | 'NULL'): Promise<AuthenticatorApp> {
  // Letters of Base32 alone.
  const secret = [...randomBytes(32)].map((byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte % 32]).join('');
  await database.rows(
    `INSERT INTO totp_factors (user_id, secret, confirmed_at) VALUES ($1, $2, ${confirmedAt})`,
    [id, new Encryption([SECRET], 'totp').encrypt(secret)],
  );
  return new AuthenticatorApp(secret);
}

/** The cookie of a login that lacks its second step. */
async function pending({ id }: Person): Promise<string> {
  const token = mintToken();
  await database.rows(
    `INSERT INTO pending_logins (token_hash, user_id, auth_method, password_changed_at, expires_at)
     SELECT $2, id, 'password', password_changed_at, now() + interval '10 minutes' FROM users WHERE id = $1`,
    [id, hashToken(token)],
  );
  return `session_id_pending=${token}`;
}

const pendingLogins = (person: Person) => Promise.all(Array.from({ length: 32 }, () => pending(person)));

const countOf = (table: string, { id }: Person, where = 'true'): Promise<number> =>
  database.value(`SELECT count(*)::int FROM ${table} WHERE user_id = $1 AND ${where}`, [id]);

const IS_ACTIVE = 'invalidated_at IS NULL';
const IS_WEAK = `${IS_ACTIVE} AND aal = 1`;

/** Lets some do one thing and some another, both at each replica. */
const inTurn = <Each>(each: Each[], runner: number) => each[Math.floor(runner / 2) % each.length] as Each;

/** Lets 16 do one thing and 16 the other, and returns the statuses of both. */
async function versus(
  one: (url: string, runner: number) => Promise<number>,
  other: (url: string, runner: number) => Promise<number>,
): Promise<[number[], number[]]> {
  const answers = await race(service, async (url, runner) => {
    const isOne = inTurn([true, false], runner);
    return { isOne, status: await (isOne ? one : other)(url, runner) };
  });
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  const statusesOf = (which: boolean) =>
    answers.filter(({ isOne }) => isOne === which).map(({ status }) => status);
  return [statusesOf(true), statusesOf(false)];
}

const login = ({ email }: Person) => ({ body: { email, password: PASSWORD } });

describe('of 32 callers at once, one', () => {
  it('completes a pending login, with a code of the app', () =>
    inRounds(async () => {
      const owner = await newOwner();
      const statuses = await raceTo(service, STEP, { totp: owner.app.code() }, await pending(owner));
      expectOneWinner(statuses, 200);
      expect(await countOf('sessions', owner)).toBe(2);
    }));

  it('completes a pending login, each with a recovery code of its own: the others use none up', () =>
    inRounds(async () => {
      const owner = await newOwner();
      const cookie = await pending(owner);
      const statuses = await race(service, (url, runner) =>
        statusOf('POST', url + STEP, { cookie, body: { recovery_code: inTurn(owner.codes, runner) } }),
      );
      expectOneWinner(statuses, 200);
      expect(await countOf('sessions', owner)).toBe(2);
      expect(await countOf('recovery_codes', owner)).toBe(9);
    }));

  it.each(['totp', 'recovery_code'])('uses a code (%s), each for a login of their own', (kind) =>
    inRounds(async () => {
      const owner = await newOwner();
      const body = { [kind]: kind === 'totp' ? owner.app.code() : owner.codes[0] };
      const cookies = await pendingLogins(owner);
      const statuses = await race(service, (url, runner) =>
        statusOf('POST', url + STEP, { cookie: cookies[runner], body }),
      );
      expectOneWinner(statuses, 200);
      expect(await countOf('sessions', owner)).toBe(2);
      expect(await countOf('recovery_codes', owner)).toBe(kind === 'totp' ? 10 : 9);
    }),
  );

  it.each(['totp', 'recovery_code'])('uses a code (%s), for a login or for a step-up', (kind) =>
    inRounds(async () => {
      const owner = await newOwner();
      const body = { [kind]: kind === 'totp' ? owner.app.code() : owner.codes[0] };
      const cookies = await pendingLogins(owner);
      const statuses = await versus(
        (url, runner) => statusOf('POST', url + STEP, { cookie: cookies[runner], body }),
        (url) => statusOf('POST', `${url}/auth/step-up`, { cookie: owner.cookie, body }),
      );
      expectOneWinner(statuses.flat(), 200);
    }),
  );

  it('confirms an app in a session', () =>
    inRounds(async () => {
      const [person] = (await people(1)) as [Person];
      const app = await addSecret(person, 'NULL');
      const statuses = await raceTo(service, '/users/me/totp/confirm', { code: app.code() }, person.cookie);
      expectOneWinner(statuses, 200);
      expect(await countOf('recovery_codes', person)).toBe(10);
    }));

  it('confirms an app at the set-up, each with a login of their own', () =>
    inRounds(async () => {
      const [person] = (await people(1)) as [Person];
      const [app, cookies] = [await addSecret(person, 'NULL'), await pendingLogins(person)];
      const statuses = await race(service, (url, runner) =>
        statusOf('POST', `${url}/auth/pending-login/totp/confirm`, {
          cookie: cookies[runner],
          body: { code: app.code() },
        }),
      );
      expectOneWinner(statuses, 200);
      expect(await countOf('recovery_codes', person)).toBe(10);
      expect(await countOf('sessions', person, IS_ACTIVE)).toBe(1);
    }));
});

describe('of 32 requests that remove the last two factors of a user who must have one', () => {
  it('one succeeds', () =>
    inRounds(async () => {
      const orgId = await emptyOrg(database);
      await database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
        orgId,
      ]);
      const owner = await newOwner({ orgId });
      const passkey = await database.value(
        `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, backup_eligible, backed_up, name)
         VALUES (gen_random_uuid(), $1, 'localhost', uuid_send(gen_random_uuid()), '', 0, true, true, 'one') RETURNING id`,
        [owner.id],
      );
      const statuses = await race(service, (url, runner) =>
        statusOf('DELETE', url + inTurn(['/users/me/totp', `/users/me/passkeys/${passkey}`], runner), owner),
      );
      expectOneWinner(statuses, 204);
      expect((await countOf('totp_factors', owner)) + (await countOf('passkeys', owner))).toBe(1);
      expect(await countOf('recovery_codes', owner)).toBe(10);
    }));
});

describe('logins by password, while', () => {
  it('an app is confirmed, leave no session without the second step', () =>
    inRounds(async () => {
      const [person] = (await people(1)) as [Person];
      const app = await addSecret(person, 'NULL');
      const [logins, confirmations] = await versus(
        (url) => statusOf('POST', `${url}/auth/login`, login(person)),
        (url) =>
          statusOf('POST', `${url}/users/me/totp/confirm`, {
            cookie: person.cookie,
            body: { code: app.code() },
          }),
      );
      expectOneWinner(confirmations, 200);
      expect(logins.filter((status) => ![200, 202].includes(status))).toEqual([]);
      expect(await countOf('sessions', person, IS_WEAK)).toBe(0);
      expect(await countOf('sessions', person, IS_ACTIVE)).toBe(1);
    }));
});

describe('users who join an organization while it begins to require a factor', () => {
  it('enter it with no session without one', () =>
    inRounds(async () => {
      const orgId = await emptyOrg(database);
      const [admin] = (await people(1, { orgId, role: Role.ORG_ADMIN }, 2)) as [Person];
      const users = await people(32);
      const tokens = await Promise.all(users.map(({ email }) => invitationFor(database, email, orgId)));
      const [joins] = await versus(
        (url, runner) =>
          statusOf('POST', `${url}/invitations/accept`, {
            cookie: users[runner]?.cookie,
            body: { token: tokens[runner] },
          }),
        (url) =>
          statusOf('PATCH', `${url}/orgs/${orgId}`, {
            cookie: admin.cookie,
            body: { second_factor_required: true },
          }),
      );
      expect(new Set(joins)).toEqual(new Set([200]));
      const entered = await Promise.all(
        users.map(({ cookie }, index) =>
          statusOf('GET', `${service.at(index).url}/orgs/${orgId}`, { cookie }),
        ),
      );
      // Half of them joined: the others are members of nothing.
      expect(new Set(entered)).toEqual(new Set([403, 404]));
    }));
});

describe('16 pending logins that are completed', () => {
  /** Completes each with one of the ten recovery codes, while another request ends them. */
  const complete = async (owner: Owner, end: (url: string) => Promise<number>) => {
    const cookies = await pendingLogins(owner);
    let next = 0;
    return versus((url, runner) => {
      const recovery_code = owner.codes[next++ % 10];
      return statusOf('POST', url + STEP, { cookie: cookies[runner], body: { recovery_code } });
    }, end);
  };
  const admin = async () => ((await people(1, { role: Role.SYSTEM_ADMIN }, 2)) as [Person])[0];

  it.each<[string, (owner: Owner) => Promise<(url: string) => Promise<number>>, number]>([
    [
      'while an admin resets the factors',
      async ({ id }) => {
        const { cookie } = await admin();
        return (url) => statusOf('DELETE', `${url}/users/${id}/factors`, { cookie });
      },
      0,
    ],
    [
      'while an admin disables the account',
      async ({ id }) => {
        const { cookie } = await admin();
        return (url) => statusOf('PATCH', `${url}/users/${id}`, { cookie, body: { disabled: true } });
      },
      0,
    ],
    [
      'while the owner secures the account',
      async (owner) => {
        const token = await linkFor(database, owner, 'secure-account');
        return (url) => statusOf('POST', `${url}/auth/secure-account`, { body: { token } });
      },
      0,
    ],
    [
      'while the owner sets a new password by mail',
      async (owner) => {
        const token = await linkFor(database, owner, 'reset-password');
        return (url) =>
          statusOf('POST', `${url}/password/reset`, { body: { token, new_password: `${PASSWORD} 2` } });
      },
      0,
    ],
    [
      'while the owner ends the other sessions',
      async ({ cookie }) =>
        (url) =>
          statusOf('DELETE', `${url}/sessions`, { cookie }),
      1,
    ],
  ])('%s leave no session', async (_, prepare, left) =>
    inRounds(async () => {
      const owner = await newOwner();
      const end = await prepare(owner);
      const [completions, ends] = await complete(owner, end);
      expect(ends.some((status) => status < 300)).toBe(true);
      expect(completions.filter((status) => ![200, 400, 401, 403].includes(status))).toEqual([]);
      expect(await countOf('sessions', owner, IS_ACTIVE)).toBe(left);
      expect(await countOf('pending_logins', owner)).toBe(0);
    }),
  );
});
