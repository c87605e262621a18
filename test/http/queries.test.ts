import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let admin: Browser;
beforeAll(async () => {
  app = await TestApp.start();
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

/** Every route of a list, and the check of a proxy, whose queries are kept once they are checked. */
const PATHS = ['/users', '/orgs', '/audit-events', '/mails', '/sessions/verify'];

const ask = (path: string, cookie = admin.jar.get('session_id')) =>
  app.nest.inject({ url: path, headers: { cookie: `session_id=${cookie}` } });

describe('a parameter that no route names', () => {
  it.each(['x', 'constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'])(
    'is refused on every route with a query: %s',
    async (name) => {
      for (const path of PATHS) {
        const { errors } = expectProblem(await ask(`${path}?${name}=1`), 400, 'ValidationFailed');
        expect(errors).toEqual([{ field: name, messages: ['is not a field of this request'] }]);
      }
    },
  );
});

describe('a query of more than 200 values', () => {
  it.each([
    ['of many names', (index: number) => `a${index}`],
    ['of one name', () => 'ids'],
  ])('is refused as a whole: %s', async (_, nameOf) => {
    const query = Array.from({ length: 201 }, (_, index) => `${nameOf(index)}=1`).join('&');
    const { errors } = expectProblem(await ask(`/users?${query}`), 400, 'ValidationFailed');
    expect(errors).toEqual([{ field: 'query', messages: ['has too many values'] }]);
  });
});
