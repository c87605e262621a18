import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../../support/test-app.js';

const CLIENT = { SVC_IDP_CLIENT_ID: 'a client', SVC_IDP_CLIENT_SECRET: 'its secret' };
const OTHERS = JSON.stringify([
  { preset: 'github', client_id: 'another client', client_secret: 'its own secret' },
  {
    id: 'staff',
    title: 'Our staff',
    issuer: 'https://staff.example.com',
    client_id: 'a third client',
    client_secret: 'a third secret',
  },
]);

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** What a service with other settings answers. */
async function methodsWith(variables: Record<string, string>) {
  const other = await TestApp.start(variables, { database: app.database });
  const { body } = await other.browser().get('/auth/methods');
  await other.nest.close();
  return body;
}

describe('GET /auth/methods', () => {
  it('names the ways to log in of a service with nothing configured', async () => {
    expect(await app.browser().get('/auth/methods')).toMatchObject({
      status: 200,
      body: { password: true, passkey: true, signup: true, providers: [], locales: ['en'] },
    });
  });

  it('names the languages that are served, the default first', async () => {
    expect((await methodsWith({ SVC_LOCALES: 'ar-XB,en' })).locales).toEqual(['ar-XB', 'en']);
  });

  it('names every provider by its id and title, and nothing else of it', async () => {
    const { providers } = await methodsWith({ ...CLIENT, SVC_IDP_OTHERS: OTHERS });

    expect(providers).toEqual([
      { id: 'idp', title: 'Google' },
      { id: 'github', title: 'GitHub' },
      { id: 'staff', title: 'Our staff' },
    ]);
  });

  it.each([
    ['its host', { SVC_IDP_ISSUER: 'https://login.example.com/realms/one' }, 'login.example.com'],
    ['the title that the operator gave it', { SVC_IDP_TITLE: 'Work account' }, 'Work account'],
  ])('calls the first provider by %s', async (_, variables, title) => {
    expect((await methodsWith({ ...CLIENT, ...variables })).providers).toEqual([{ id: 'idp', title }]);
  });

  it('says that no person may sign up in B2B', async () => {
    expect((await methodsWith({ SVC_APP_MODE: 'b2b' })).signup).toBe(false);
  });

  it('says that there are no passkeys where browsers make none', async () => {
    expect((await methodsWith({ SVC_BASE_WEB_URL: 'http://127.0.0.1:5173' })).passkey).toBe(false);
  });
});
