import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import { runProgram } from '../../support/command-line.js';
import { crowd, emptyOrg, invitationFor, linkFor, type Person, signupFor } from '../../support/crowd.js';
import { tokenIn } from '../../support/mails.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { expectOneWinner, inRounds, raceTo } from './race.js';

const NEW_PASSWORD = 'a wholly different phrase';
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

/** A new person, who is logged in. */
async function newPerson(): Promise<Person> {
  const [person] = await crowd(database, 1);
  return person as Person;
}

const post = (path: string, body: object, cookie?: string) => raceTo(service, path, body, cookie);

describe('of 32 callers who use one link at once, one', () => {
  it('completes the signup', () =>
    inRounds(async () => {
      const email = freshAddress();
      const { token, cookie } = await signupFor(database, email);

      expectOneWinner(await post('/auth/verify-email', { token }, cookie), 200);
      expect(await database.rows('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
    }));

  it('sets the password', () =>
    inRounds(async () => {
      const token = await linkFor(database, await newPerson(), 'reset-password');

      const statuses = await post('/password/reset', { token, new_password: NEW_PASSWORD });

      expectOneWinner(statuses, 204);
    }));

  it('moves the account to another address', () =>
    inRounds(async () => {
      const person = await newPerson();
      const token = await linkFor(database, person, 'change-email', freshAddress());

      expectOneWinner(await post('/users/me/email/confirm', { token }, person.cookie), 200);
    }));

  it('secures the account', () =>
    inRounds(async () => {
      const token = await linkFor(database, await newPerson(), 'secure-account');

      expectOneWinner(await post('/auth/secure-account', { token }), 204);
    }));

  it('becomes the admin whom the command line appointed', () =>
    inRounds(async () => {
      const variables = {
        SVC_ENVIRONMENT: 'dev',
        SVC_DATABASE_URL: database.url,
        SVC_JWT_SECRET_KEY: SECRET,
      };
      const { output } = await runProgram('cli', ['create-admin', freshAddress(), '--print'], variables);
      const token = tokenIn(output);

      const statuses = await post('/password/reset', { token, new_password: NEW_PASSWORD });

      expectOneWinner(statuses, 204);
    }));
});

describe('of 32 callers who use one invitation at once, one', () => {
  it('makes an account with it', () =>
    inRounds(async () => {
      const [email, orgId] = [freshAddress(), await emptyOrg(database)];
      const token = await invitationFor(database, email, orgId);

      const statuses = await post('/invitations/accept', { token, password: PASSWORD });

      expectOneWinner(statuses, 201);
      expect(
        await database.rows(
          'SELECT email FROM users u JOIN memberships m ON m.user_id = u.id WHERE org_id = $1',
          [orgId],
        ),
      ).toEqual([{ email }]);
    }));

  it('joins with the account there is', () =>
    inRounds(async () => {
      const person = await newPerson();
      const token = await invitationFor(database, person.email, await emptyOrg(database));

      expectOneWinner(await post('/invitations/accept', { token }, person.cookie), 200);
    }));

  it('declines it', () =>
    inRounds(async () => {
      const token = await invitationFor(database, freshAddress(), await emptyOrg(database));

      expectOneWinner(await post('/invitations/decline', { token }), 204);
    }));
});
