import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_LOCALES: 'en,de,ja,pl' });
});
afterAll(() => app.close());

it.each([
  ['en', 'Mozilla/5.0 (iPhone) Version/18.0 Safari/604.1', 'with Safari on iPhone'],
  ['de', 'curl/8.5.0', 'mit einem unbekannten Programm'],
  ['de', 'Mozilla/5.0 (iPhone) MyApp/3', 'mit einem unbekannten Programm auf iPhone'],
  ['ja', 'Mozilla/5.0 (Windows NT 10.0) Firefox/143.0', 'Firefox（Windows）'],
  ['pl', 'Mozilla/5.0 (iPhone) Version/18.0 Safari/604.1', 'Safari w systemie iPhone'],
])('the warning of a login names the program in %s: %s', async (locale, userAgent, words) => {
  const email = await verified(app);
  await app.database.rows('UPDATE users SET locale = $2 WHERE email = $1', [email, locale]);
  await loggedIn(app, email);
  await app.browser().post('/auth/login', { email, password: PASSWORD }, { 'user-agent': userAgent });

  expect((await app.mailbox.last(email)).text).toContain(words);
});
