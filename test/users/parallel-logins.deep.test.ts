import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

const LOGINS = 200;

/** The slots of the hashing queue: as many logins are answered even if every other one comes before the first hash ends. */
const SLOTS = 48;

let app: TestApp;
let api: string;
beforeAll(async () => {
  app = await TestApp.start({ SVC_BCRYPT_COST: '9' });
  api = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

it(`${LOGINS} logins at once wait for each other, and nothing else waits for them`, async () => {
  const browser = await loggedIn(app);
  const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
  const login = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: browser.email, password: `not ${PASSWORD}` }),
  };

  let underWay = LOGINS;
  const logins = Array.from({ length: LOGINS }, async () => {
    const answer = await fetch(`${api}/auth/login`, login);
    underWay -= 1;
    return answer;
  });

  const meanwhile: number[] = [];
  while (meanwhile.length < 20) {
    const { status } = await fetch(`${api}/users/me`, { headers });
    meanwhile.push(status);
  }
  const stillUnderWay = underWay;
  const answers = await Promise.all(logins);

  expect(meanwhile).toEqual(Array(20).fill(200));
  expect(stillUnderWay).toBeGreaterThan(0);

  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '5'));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(LOGINS - refused.length);
  expect(refused.length).toBeGreaterThan(0);
  expect(LOGINS - refused.length).toBeGreaterThanOrEqual(SLOTS);
});
