import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../support/identity-provider.js';
import { from, TwoReplicas } from '../../support/two-replicas.js';

const NETWORK = '192.0.2.1';

let replicas: TwoReplicas;
beforeAll(async () => {
  replicas = await TwoReplicas.start({
    SVC_LIMIT_CALLBACK_PER_NETWORK: '3/15m',
    SVC_IDP_CLIENT_ID: 'latchkey',
    SVC_IDP_CLIENT_SECRET: 'the secret of the client',
    SVC_IDP_TOKEN_URL: 'http://127.0.0.1:1/token',
    SVC_IDP_ISSUER: 'http://127.0.0.1:1',
  });
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

const comeBack = (query: string, ip = NETWORK) =>
  replicas.app.browser().get(`/auth/oauth/idp/callback?${query}`, from(ip));

describe('callbackPerNetwork', () => {
  it('sends all requests beyond its number to the login page, at once and over all replicas, until the time is over', async () => {
    const answers = await replicas.inParallel(10, (app) =>
      app.browser().get('/auth/oauth/idp/callback?code=x&state=x', from(NETWORK)),
    );

    const reasons = answers.map(({ headers }) => String(headers.location).replace(/.*=/, ''));
    expect(reasons.filter((reason) => reason === 'invalid_state')).toHaveLength(3);
    expect(reasons.filter((reason) => reason === 'too_many_requests')).toHaveLength(7);
    await replicas.wait(15);
    expect(await comeBack('code=x&state=x')).toMatchObject(failure('invalid_state'));
  });

  it('counts each network by itself', async () => {
    for (let times = 0; times < 3; times++) await comeBack('code=x&state=x');

    expect(await comeBack('code=x&state=x')).toMatchObject(failure('too_many_requests'));
    expect(await comeBack('code=x&state=x', '192.0.2.2')).toMatchObject(failure('invalid_state'));
  });

  it('leaves the state valid when a login comes too soon', async () => {
    const browser = replicas.app.browser();
    const { body } = await browser.get('/auth/oauth/idp/authorize-url', from(NETWORK));
    const state = new URL(body.authorization_url).searchParams.get('state');
    const callback = `/auth/oauth/idp/callback?error=access_denied&state=${state}`;
    for (let times = 0; times < 3; times++) await comeBack('code=x&state=x');

    const early = await browser.get(callback, from(NETWORK));
    expect(early).toMatchObject({ ...failure('too_many_requests'), cookies: [] });

    await replicas.wait(15);
    expect(await browser.get(callback, from(NETWORK))).toMatchObject(failure('access_denied'));
  });
});
