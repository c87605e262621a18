import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** On the site of the service, so that the browser sends the cookie along; and on another. */
const FOREIGN = ['http://localhost:8080', 'http://elsewhere.test'];

const ENCODINGS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

let stage: Stage;
let ada: Visitor & { email: string };
beforeAll(async () => {
  stage = await Stage.inDev();
  const { email } = await loggedIn(stage.app);
  ada = Object.assign(await stage.visitor(), { email });
  // A form leads the browser to the answer of the API.
  ada.expectRefusal('403 /auth/logout', '415 /auth/logout', '415 /auth/login');
  await ada.logIn(email);
});
afterAll(() => stage.stop());

describe('a page of the application', () => {
  it('can read who is logged in', async () => {
    expect(await fetchFrom('http://localhost:5173', 'GET', '/users/me')).toContain(ada.email);
  });
});

describe.each(FOREIGN)('a page of %s', (origin) => {
  it('cannot read who is logged in', async () => {
    expect(await fetchFrom(origin, 'GET', '/users/me')).toBe('TypeError: Failed to fetch');
  });

  it.each([
    ['POST', '/auth/logout', 'none'],
    ['POST', '/auth/logout', 'text/plain'],
    ['POST', '/auth/logout', 'application/json'],
    ['DELETE', '/sessions', 'none'],
    ['PATCH', '/users/me', 'application/json'],
  ])('changes nothing with %s %s and a body of type %s', async (method, path, type) => {
    const before = await everything();

    expect(await fetchFrom(origin, method, path, type)).toBe('TypeError: Failed to fetch');
    expect(await everything()).toEqual(before);
  });

  it.each(ENCODINGS)('changes nothing with a form of type %s', async (encoding) => {
    const before = await everything();

    // An empty form has no content to refuse, so its origin is what is refused.
    expect([403, 415]).toContain(await postForm(origin, '/auth/logout', encoding));
    expect(await everything()).toEqual(before);
  });

  it('logs no user in with a form that looks like JSON', async () => {
    const eve = await verified(stage.app);
    const before = await everything();

    expect(await postForm(origin, '/auth/login', 'text/plain', eve)).toBe(415);
    expect(await everything()).toEqual(before);
  });
});

/** What a page gets that calls the API with the cookies of the user who looks at it. */
async function fetchFrom(origin: string, method: string, path: string, type = 'none'): Promise<string> {
  const page = await ada.inNewTab();
  await page.open(origin);
  const init = {
    method,
    credentials: 'include',
    ...(type !== 'none' && { headers: { 'content-type': type }, body: '{"name":"Eve"}' }),
  };
  const call = `fetch('http://localhost:3000${path}', ${JSON.stringify(init)})`;
  const outcome = await page.page.evaluate(`${call}.then((answer) => answer.text(), String)`);
  await page.page.close();
  return String(outcome);
}

/** What a form is answered, which a page may post without asking; its one field reads as the JSON of a login. */
async function postForm(origin: string, path: string, encoding: string, email = ''): Promise<number> {
  const page = await ada.inNewTab();
  await page.open(origin);
  const [name, value] = [`{"email":"${email}","password":"${PASSWORD}","name":"`, '"}'];
  const answer = page.page.waitForResponse(`http://localhost:3000${path}`);
  await page.page.evaluate(`
    const form = Object.assign(document.createElement('form'),
      { method: 'post', action: 'http://localhost:3000${path}', enctype: '${encoding}' });
    form.append(Object.assign(document.createElement('input'),
      { name: ${JSON.stringify(name)}, value: ${JSON.stringify(value)} }));
    document.body.append(form);
    form.submit();
  `);
  const status = (await answer).status();
  await page.page.close();
  return status;
}

/** All that the requests are about. */
function everything(): Promise<unknown[]> {
  return stage.app.database.rows(
    'SELECT u.name, s.id, s.invalidated_at FROM users u JOIN sessions s ON s.user_id = u.id ORDER BY s.id',
  );
}
