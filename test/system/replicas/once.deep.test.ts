import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../../support/accounts.js';
import { crowd } from '../../support/crowd.js';
import { Held } from '../../support/lock-step.js';
import { MailapiStandIn } from '../../support/mailapi-stand-in.js';
import { send, statusOf } from '../../support/send.js';
import { Replicas, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const SECRET = 'the secret of the scheduler and of the tests';
const AT_ONCE = 30;

let mailapi: MailapiStandIn;
let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  [mailapi, database] = await Promise.all([MailapiStandIn.start(), TestDatabase.create()]);
  service = await Replicas.start(database, 3, { ...mailapi.variables, SVC_CRON_SECRET: SECRET });
}, START_PATIENCE_MS);
afterAll(async () => {
  await service.kill();
  await mailapi.close();
  await database.close();
});

const post = (turn: number, path: string, body: object) =>
  statusOf('POST', service.at(turn).url + path, { body });

/** Posts the same body at once to all replicas, and returns the answers in the order of their status. */
async function allAtOnce(path: string, body: (index: number) => object): Promise<number[]> {
  const answers = Array.from({ length: AT_ONCE }, (_, index) => post(index, path, body(index)));
  return (await Promise.all(answers)).sort();
}

/** One success, and refusals for the rest. */
const once = (success: number, refusal: number) => [success, ...Array(AT_ONCE - 1).fill(refusal)];

describe('of three replicas, one', () => {
  it('completes a signup when all get its link at once', async () => {
    await post(0, '/auth/signup', { email: 'ada@example.com', password: PASSWORD });
    const token = await mailapi.tokenMailedTo('ada@example.com');

    const body = { token, new_password: 'a wholly different phrase' };
    expect(await allAtOnce('/auth/verify-email', () => body)).toEqual(once(200, 400));
  });

  it('sets the password when all get its link at once', async () => {
    const [person] = await crowd(database, 1);
    const email = String(person?.email);
    await post(0, '/password/forgot', { email });
    const token = await mailapi.tokenMailedTo(email);
    const passwordOf = (index: number) => `${PASSWORD}, number ${index}`;

    const resets = await allAtOnce('/password/reset', (index) => ({
      token,
      new_password: passwordOf(index),
    }));
    const logins = await allAtOnce('/auth/login', (index) => ({ email, password: passwordOf(index) }));

    expect(resets).toEqual(once(204, 400));
    expect(logins).toEqual(once(200, 401));
  });

  it('sends each of 300 mails when clients ask all of them', async () => {
    const people = await crowd(database, 300);
    const addresses = people.map(({ email }) => email);

    await Promise.all(addresses.map((email, turn) => post(turn, '/password/forgot', { email })));
    const sent = () => mailapi.delivered.map(({ to }) => to).filter((to) => addresses.includes(to));
    await until(() => sent().length >= addresses.length);
    const isAnyUnderway = 'SELECT count(*)::int FROM outbox_mails WHERE finished_at IS NULL';
    await until(async () => (await database.value(isAnyUnderway)) === 0);

    expect(sent().sort()).toEqual([...addresses].sort());
  });

  it('prunes, and the others skip the prune', async () => {
    await crowd(database, 50);
    await database.rows(`UPDATE sessions SET expires_at = now() - interval '1 year'`);
    const held = await Held.by(database, 'LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE', []);
    let answered = 0;
    const prune = async ({ url }: { url: string }) => {
      const answer = await send('POST', `${url}/cron`, { headers: { authorization: `Bearer ${SECRET}` } });
      answered += 1;
      return answer.json() as Promise<{ skipped: boolean; pruned: Record<string, number> }>;
    };

    const runs = Promise.all(service.replicas.map(prune));
    await until(() => answered === 2);
    await held.untilWaiting(1);
    await held.release();

    const [worked, ...skipped] = (await runs).sort((one, other) => +one.skipped - +other.skipped);
    expect(skipped).toMatchObject(Array(2).fill({ skipped: true, pruned: {} }));
    expect(worked).toMatchObject({ skipped: false });
    expect(worked?.pruned.sessions).toBeGreaterThanOrEqual(50);
  });
});
