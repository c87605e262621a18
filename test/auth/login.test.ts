import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('POST /auth/login', () => {
  it('starts a session and sets the cookie', async () => {
    const email = await verified(app);
    const browser = app.browser();

    const answer = await browser.post('/auth/login', { email, password: PASSWORD });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ user: { email, email_verified: true }, session: { current: true } });
    expect((await browser.get('/users/me')).body).toEqual(answer.body);
  });
});
