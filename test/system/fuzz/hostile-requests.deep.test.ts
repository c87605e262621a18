import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AiStandIn } from '../../support/ai-stand-in.js';
import { takeFaults } from '../../support/contract.js';
import { operations } from '../../support/document.js';
import { StripeStandIn } from '../../support/stripe/stand-in.js';
import { TestApp } from '../../support/test-app.js';
import { TOKENS } from '../../support/token-keys.js';
import { expectDecent, expectQuiet } from './answers.js';
import { REASONS } from './refusals.js';
import { CALLERS, type FuzzRequest, injected, requestTo } from './requests.js';
import { OTHER_PROVIDER, SECRETS } from './secrets.js';
import { PRICE_ID } from './values.js';
import { World } from './world.js';

/** Some in every run of the tests, many in `npm run test:fuzz`. */
const REQUESTS = Number(process.env.LATCHKEY_FUZZ_REQUESTS ?? 3_000);

/** Of all that is chosen at random: with the same seed the same requests are sent. */
const SEED = Number(process.env.LATCHKEY_TEST_SEED ?? randomInt(2 ** 31));

const AT_ONCE = 32;
const TIMEOUT_MS = 30_000 + REQUESTS * 30;

/** No server listens there: each request to the provider fails at once. */
const NO_PROVIDER = {
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_TOKEN_URL: 'http://127.0.0.1:1/token',
  SVC_IDP_USERINFO_URL: 'http://127.0.0.1:1/me',
  SVC_IDP_ISSUER: 'http://127.0.0.1:1',
};

let app: TestApp;
let stripe: StripeStandIn;
let ai: AiStandIn;
let world: World;
beforeAll(async () => {
  [stripe, ai] = await Promise.all([StripeStandIn.start(), AiStandIn.start()]);
  stripe.account.addPrice({ id: PRICE_ID });
  app = await TestApp.start({
    ...stripe.variables,
    ...ai.variables,
    ...NO_PROVIDER,
    ...OTHER_PROVIDER,
    ...SECRETS,
    ...TOKENS,
    SVC_EMAIL_CODE_LOGIN: 'on',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_ACTING: 'on',
  });
  world = await World.create(app.database);
});
afterAll(async () => {
  await app.close();
  await stripe.stop();
  await ai.close();
});

/** Sends requests at once, expects of each answer what holds for all of them, and returns their statuses. */
async function send(batch: FuzzRequest[]): Promise<number[]> {
  forget();
  const answers = await Promise.all(batch.map(answerTo));
  for (const [index, answer] of answers.entries())
    if ('payload' in answer) expectDecent(batch[index] as FuzzRequest, answer);
  for (const line of app.log) expectQuiet(line);
  expect(takeFaults()).toEqual([]);
  return answers.map(({ statusCode }) => statusCode);
}

/** The copy of an account breaks off where another request of the batch ends its session. It has begun, as one with 200. */
const BROKEN_OFF = { statusCode: 200 } as const;

async function answerTo(request: FuzzRequest) {
  try {
    return await app.nest.inject(injected(request));
  } catch (error) {
    if (request.route === '/users/me/export' && /destroyed before completion/.test(`${error}`))
      return BROKEN_OFF;
    throw error;
  }
}

/** Drops the faults of a batch that failed, so that they do not count against the next. */
function forget(): void {
  app.log.length = 0;
  takeFaults();
}

/** Checks a share of the requests, 32 at once. What fails is reduced to the requests it takes. */
async function check(
  share: number,
  request: fc.Arbitrary<FuzzRequest>,
  property: (batch: FuzzRequest[]) => Promise<void>,
): Promise<void> {
  const some = fc.array(fc.option(request, { freq: 1_000 }), { minLength: AT_ONCE, maxLength: AT_ONCE });
  await fc.assert(
    fc.asyncProperty(some, (batch) => property(batch.filter((one) => one !== null))),
    { seed: SEED, numRuns: Math.ceil((REQUESTS * share) / AT_ONCE) },
  );
}

const everything = operations.flatMap((operation) => CALLERS.map((sender) => ({ operation, sender })));
const anyOf = (requests: fc.Arbitrary<FuzzRequest>[]) => fc.constantFrom(...requests).chain((one) => one);

describe(`${REQUESTS} requests of seed ${SEED}`, () => {
  it(
    'are refused where there is a reason, and then change nothing at all',
    async () => {
      const requests = everything.flatMap(({ operation, sender }) =>
        REASONS.filter(({ holds }) => holds(operation, sender)).map(({ spoil }) =>
          requestTo(operation, sender).map(spoil),
        ),
      );
      const before = await world.everything();
      await check(0.3, anyOf(requests), async (batch) => {
        await world.restore();
        const statuses = await send(batch);
        for (const [index, { route, query }] of batch.entries()) {
          // A proxy's rule sends a browser without a session to the login page, in place of a 401.
          const isSentToLogin = route === '/sessions/verify' && query.includes('login=redirect');
          if (isSentToLogin && statuses[index] === 302) continue;
          expect(statuses[index]).toBeGreaterThanOrEqual(400);
        }
        expect(await world.everything()).toEqual(before);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'get the answers that the document promises, and no secret',
    () => {
      const requests = everything.map(({ operation, sender }) => requestTo(operation, sender));
      return check(0.4, anyOf(requests), async (batch) => {
        await world.restore();
        await send(batch);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'change nothing of an organization that their sender does not belong to',
    async () => {
      const outsiders = everything.filter(({ sender }) => sender !== 'system-admin');
      const requests = outsiders.map(({ operation, sender }) => requestTo(operation, sender));
      // The requests of the test before may have changed it.
      await world.restore();
      const before = await world.theirs();
      await check(0.3, anyOf(requests), async (batch) => {
        await world.restore();
        await send(batch);
        expect(await world.theirs()).toEqual(before);
      });
    },
    TIMEOUT_MS,
  );
});
