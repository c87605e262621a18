import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import { Authenticator } from '../../support/authenticator.js';
import { crowd, linkFor, type Person } from '../../support/crowd.js';
import { cookiesOf, type Sent, send, statusOf } from '../../support/send.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { expectOneWinner, inRounds, race, raceTo } from './race.js';

const SECRET = 'a secret that only the tests know and of 32 or more';

let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 2, { SVC_JWT_SECRET_KEY: SECRET });
});
afterAll(async () => {
  await service.kill();
  await database.close();
});

/** A new person, who has just logged in. */
async function newPerson(): Promise<Person> {
  const [person] = (await crowd(database, 1)) as [Person];
  await database.rows('UPDATE sessions SET authenticated_at = now() WHERE user_id = $1', [person.id]);
  return person;
}

/** What the service asks a browser with, and the cookies that it sets beside it. */
async function begin(path: string, cookie?: string) {
  const answer = await send('POST', `${service.at(0).url}${path}`, { cookie });
  return { options: ((await answer.json()) as { options: object }).options, cookie: cookiesOf(answer) };
}

/** What registers a passkey of a person. */
async function registration({ cookie }: Person, authenticator = new Authenticator()): Promise<Sent> {
  const { options } = await begin('/users/me/passkeys/options', cookie);
  return { cookie, body: { credential: authenticator.create(options) } };
}

/** What logs in with the newest passkey of an authenticator. */
async function login(authenticator: Authenticator): Promise<Sent> {
  const { options, cookie } = await begin('/auth/passkey/options');
  return { cookie, body: { credential: authenticator.get(options) } };
}

/** A person with a passkey, and its id. */
async function newOwner(authenticator: Authenticator) {
  const person = await newPerson();
  return { person, passkeyId: await addPasskey(person, authenticator) };
}

async function addPasskey(person: Person, authenticator: Authenticator): Promise<string> {
  const url = `${service.at(0).url}/users/me/passkeys`;
  const answer = await send('POST', url, await registration(person, authenticator));
  return ((await answer.json()) as { passkey: { id: string } }).passkey.id;
}

const post = (path: string, { body, cookie }: Sent) => raceTo(service, path, body as object, cookie);

const countOf = (table: string, { id }: Person, where = 'true'): Promise<number> =>
  database.value(`SELECT count(*)::int FROM ${table} WHERE user_id = $1 AND ${where}`, [id]);

const BY_PASSKEY = "auth_method = 'passkey'";
const IS_ACTIVE = 'invalidated_at IS NULL';

/** Lets some do one thing and some another, both at each replica. */
const inTurn = <Each>(each: Each[], runner: number) => each[Math.floor(runner / 2) % each.length] as Each;

describe('of 32 callers who send one answer of an authenticator at once, one', () => {
  it('logs in', () =>
    inRounds(async () => {
      const authenticator = new Authenticator();
      const { person } = await newOwner(authenticator);

      expectOneWinner(await post('/auth/passkey/login', await login(authenticator)), 200);
      expect(await countOf('sessions', person, BY_PASSKEY)).toBe(1);
    }));

  it('registers the passkey', () =>
    inRounds(async () => {
      const person = await newPerson();

      expectOneWinner(await post('/users/me/passkeys', await registration(person)), 201);
      expect(await countOf('passkeys', person)).toBe(1);
    }));

  it.each(['login', 'step-up'])(
    'uses it for the %s that it was made for, and none for the other',
    (purpose) =>
      inRounds(async () => {
        const authenticator = new Authenticator();
        const { person } = await newOwner(authenticator);
        const path = purpose === 'login' ? '/auth/passkey/options' : '/auth/step-up/options';
        const { options, cookie } = await begin(path, person.cookie);
        const sent = {
          // The session's cookie of the step-up is a fresh one for the winner alone.
          cookie: [person.cookie, ...(purpose === 'login' ? [cookie] : [])].join('; '),
          body: { credential: authenticator.get(options) },
        };

        const statuses = await race(service, (url, runner) =>
          statusOf('POST', url + inTurn(['/auth/passkey/login', '/auth/step-up'], runner), sent),
        );

        expectOneWinner(statuses, 200);
        expect(await countOf('sessions', person, BY_PASSKEY)).toBe(purpose === 'login' ? 1 : 0);
        expect(await countOf('sessions', person, 'aal = 2')).toBe(1);
      }),
  );
});

describe('of 32 logins with two copies of one key that count alike', () => {
  it('one succeeds', () =>
    inRounds(async () => {
      const authenticator = new Authenticator(true);
      const { person } = await newOwner(authenticator);
      const original = await login(authenticator);
      for (const key of authenticator.keys) key.signCount -= 1;
      const copy = await login(authenticator);

      const statuses = await race(service, (url, runner) =>
        statusOf('POST', `${url}/auth/passkey/login`, inTurn([original, copy], runner)),
      );

      expectOneWinner(statuses, 200);
      expect(await countOf('sessions', person, BY_PASSKEY)).toBe(1);
      expect(await countOf('passkeys', person, 'sign_count = 1')).toBe(1);
    }));
});

describe('of 32 requests that remove the last two ways to log in at once, one succeeds', () => {
  const ways = ({ id }: Person) =>
    database.value(
      `SELECT (SELECT count(*) FROM passkeys WHERE user_id = $1)::int
            + (SELECT count(*) FROM identities WHERE user_id = $1)::int
            + (SELECT count(*) FROM users WHERE id = $1 AND password_hash IS NOT NULL)::int`,
      [id],
    );
  const dropPassword = ({ id }: Person) =>
    database.rows('UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE id = $1', [id]);

  it.each<[string, (person: Person) => Promise<string>]>([
    [
      'two passkeys',
      async (person) => {
        const path = `/users/me/passkeys/${await addPasskey(person, new Authenticator())}`;
        await dropPassword(person);
        return path;
      },
    ],
    [
      'a passkey and an identity',
      async (person) => {
        const id = uuidv7();
        await database.rows(
          "INSERT INTO identities (id, user_id, provider, subject) VALUES ($1, $2, 'https://idp.example', $3)",
          [id, person.id, freshAddress()],
        );
        await dropPassword(person);
        return `/users/me/identities/${id}`;
      },
    ],
    ['a passkey and the password', async () => '/password'],
  ])('%s', (_, prepare) =>
    inRounds(async () => {
      const { person, passkeyId } = await newOwner(new Authenticator());
      const paths = [`/users/me/passkeys/${passkeyId}`, await prepare(person)];
      expect(await ways(person)).toBe(2);

      const statuses = await race(service, (url, runner) =>
        statusOf('DELETE', url + inTurn(paths, runner), {
          cookie: person.cookie,
          body: { current_password: PASSWORD },
        }),
      );

      // A password that is gone already counts as taken away.
      expect(new Set(statuses.filter((status) => status < 400))).toEqual(new Set([204]));
      if (paths[1] !== '/password') expectOneWinner(statuses, 204);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      expect(await ways(person)).toBe(1);
    }),
  );
});

describe('a passkey that is removed 16 times while it logs in 16 times', () => {
  it('is removed once, and logs in no more', () =>
    inRounds(async () => {
      const authenticator = new Authenticator();
      const { person, passkeyId } = await newOwner(authenticator);
      const logins = await Promise.all(Array.from({ length: 32 }, () => login(authenticator)));

      const answers = await race(service, async (url, runner) => {
        const isLogin = inTurn([true, false], runner);
        const status = isLogin
          ? await statusOf('POST', `${url}/auth/passkey/login`, logins[runner])
          : await statusOf('DELETE', `${url}/users/me/passkeys/${passkeyId}`, { cookie: person.cookie });
        return { isLogin, status };
      });

      const statusesOf = (which: boolean) =>
        answers.filter(({ isLogin }) => isLogin === which).map(({ status }) => status);
      expectOneWinner(statusesOf(false), 204);
      expect(statusesOf(true).filter((status) => ![200, 400].includes(status))).toEqual([]);
      const succeeded = statusesOf(true).filter((status) => status === 200);
      expect(await countOf('sessions', person, BY_PASSKEY)).toBe(succeeded.length);
      expect(new Set(await post('/auth/passkey/login', await login(authenticator)))).toEqual(new Set([400]));
    }));
});

describe('an account that its owner secures while an intruder registers 16 passkeys', () => {
  it('keeps none of them, and no session', () =>
    inRounds(async () => {
      const person = await newPerson();
      const registrations = await Promise.all(Array.from({ length: 32 }, () => registration(person)));
      const token = await linkFor(database, person, 'secure-account');

      const statuses = await race(service, (url, runner) =>
        inTurn([true, false], runner)
          ? statusOf('POST', `${url}/users/me/passkeys`, registrations[runner])
          : statusOf('POST', `${url}/auth/secure-account`, { body: { token } }),
      );

      expect(statuses.filter((status) => status === 204)).toHaveLength(1);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      expect(await countOf('passkeys', person)).toBe(0);
      expect(await countOf('sessions', person, IS_ACTIVE)).toBe(0);
    }));
});

describe('of 32 passkeys registered at once for an account that has 19', () => {
  it('one is made', () =>
    inRounds(async () => {
      const person = await newPerson();
      await database.rows(
        `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, backup_eligible, backed_up, name)
         SELECT gen_random_uuid(), $1, 'localhost', uuid_send(gen_random_uuid()), '', 0, true, true, 'one of many'
           FROM generate_series(1, 19)`,
        [person.id],
      );
      const registrations = await Promise.all(Array.from({ length: 32 }, () => registration(person)));

      const statuses = await race(service, (url, runner) =>
        statusOf('POST', `${url}/users/me/passkeys`, registrations[runner]),
      );

      expectOneWinner(statuses, 201);
      expect(await countOf('passkeys', person)).toBe(20);
    }));
});
