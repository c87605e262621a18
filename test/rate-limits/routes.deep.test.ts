import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { variableName } from '../../src/config/variable-name.js';
import { giveRole, loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import { foundOrg } from '../support/orgs.js';
import { documentedRoutes } from '../support/routes.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';
import { from, TwoReplicas } from '../support/two-replicas.js';

/** They open every route with a limit, and lead nowhere. */
const SETTINGS = {
  ...TOKENS,
  SVC_ACTING: 'on',
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_STRIPE_SECRET_KEY: 'sk_test_never_presented',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_never_presented',
  SVC_STRIPE_PRICE_IDS: 'price_never_bought',
  SVC_STRIPE_API_BASE: 'http://127.0.0.1:1',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
};

const environment = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...SETTINGS });

/** The variable of a limit that a route names. */
const variableOf = (limit: string) => `SVC_LIMIT_${variableName(limit).slice('SVC_'.length)}`;

/** The routes by their limit. The one that is open in B2B alone has a test of its own. */
const ROUTES: Record<string, string[]> = {};
for (const { name, limit, isOpen } of documentedRoutes)
  if (limit !== undefined && isOpen(environment)) ROUTES[limit] = [...(ROUTES[limit] ?? []), name];

/** The routes that write but have no limit, and what bounds what they write. */
const BOUNDED_OTHERWISE = {
  'POST /auth/login': 'limits of its own, on the account as well',
  'POST /auth/logout': 'the session or the pending login it ends',
  'DELETE /auth/pending-login': 'the pending login it ends',
  'POST /auth/stop-acting': 'the acting session it ends',
  ...Object.fromEntries(
    [
      'POST /auth/email-code/login',
      'POST /auth/verify-email',
      'POST /auth/secure-account',
      'POST /users/me/email/confirm',
      'POST /password/reset',
      'POST /password/reset/preview',
      'POST /invitations/preview',
      'POST /invitations/accept',
      'POST /invitations/decline',
    ].map((route) => [route, 'wrong tokens count for the network, a right one for itself']),
  ),
  ...Object.fromEntries(
    [
      'POST /auth/step-up',
      'POST /password/update',
      'DELETE /password',
      'POST /users/me/email',
      'DELETE /users/me',
    ].map((route) => [route, 'wrong proofs count for the session, right ones for the user']),
  ),
  'DELETE /sessions': 'the sessions there are to end',
  'DELETE /sessions/:id': 'the sessions there are to end',
  'DELETE /users/me/identities/:id': 'the logins that linked an identity',
  ...Object.fromEntries(
    ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
      `${method} /sessions/verify`,
      'nothing: it writes no row',
    ]),
  ),
  'POST /auth/step-up/options': 'nothing: it writes no row',
  'POST /auth/pending-login/second-factor': 'limits of its own, on the account',
  'POST /auth/pending-login/totp': 'that of factors, which it counts by itself',
  'POST /auth/pending-login/totp/confirm': 'limits of its own, on the account',
  'POST /users/me/passkeys/options': 'nothing: it writes no row',
  'DELETE /orgs/:org_id': 'the organizations that were made',
  'DELETE /orgs/:org_id/members/:user_id': 'the invitations that were accepted',
  'DELETE /orgs/:org_id/members/:user_id/factors': 'that of changes, in B2B, where alone it is open (below)',
  'DELETE /orgs/:org_id/roles/:id': 'the roles that were made',
  'DELETE /orgs/:org_id/invitations/:id': 'the invitations that were sent',
  'PUT /ui/language': 'nothing: it writes no row',
  'POST /subscription/webhook': 'the signature of Stripe',
  'POST /cron': 'the secret of the scheduler',
};

const THREE = '3/15m';

let replicas: TwoReplicas;
let app: TestApp;
let admin: Browser & { email: string };
let orgId: string;
beforeAll(async () => {
  const limits = Object.keys(ROUTES).map((limit) => [variableOf(limit), THREE]);
  replicas = await TwoReplicas.start({ ...SETTINGS, ...Object.fromEntries(limits) });
  app = replicas.app;
  const org = await foundOrg(app);
  [admin, orgId] = [org.admin, org.id];
  await giveRole(app.database, org.admin.id, 'sys_admin');
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

/** Calls a route as the admin, with a body that no endpoint takes. */
function call(service: TestApp, route: string, browser: Browser = admin, ip = '192.0.2.1'): Promise<Answer> {
  const [method, path = ''] = route.split(' ');
  const sender = service.browser();
  for (const cookie of browser.jar) sender.jar.set(...cookie);
  const url = path
    .replace(':org_id', orgId)
    .replace(':provider', 'idp')
    .replace(/:\w+/g, () => randomUUID());
  return sender.send(method as 'GET', url, method === 'GET' ? undefined : { nonsense: true }, from(ip));
}

const refused = (answers: Answer[]) => answers.filter(({ body }) => body?.code === 'TooManyRequests');

describe.each(Object.entries(ROUTES))('%s', (limit, routes) => {
  it('lets its number of requests through, at once and over all replicas, until the time is over', async () => {
    const nth = (index: number) => routes[index % routes.length] as string;
    // Four for each route, so that each is refused at least once.
    const requests = routes.length * 4;

    const answers = await replicas.inParallel(requests, (service, index) => call(service, nth(index)));

    expect(refused(answers)).toHaveLength(requests - 3);
    expect(refused(answers)[0]).toMatchObject({
      status: 429,
      headers: {
        'retry-after': expect.stringMatching(/^(900|89\d)$/),
        'ratelimit-policy': `"${limit}-900";q=3;w=900`,
      },
    });
    await replicas.wait(15);
    expect(refused([await call(app, nth(0))])).toEqual([]);
  });

  it('shows what is left of it in the answers', async () => {
    const { headers } = await call(app, routes[0] as string);

    expect(headers['ratelimit-policy']).toBe(`"${limit}-900";q=3;w=900`);
    expect(headers.ratelimit).toMatch(new RegExp(`^"${limit}-900";r=2;t=(900|89\\d)$`));
  });
});

describe('a limit', () => {
  it('counts each network by itself', async () => {
    for (const ip of ['192.0.2.1', '192.0.2.2']) {
      const answers = await replicas.inParallel(4, (service) =>
        call(service, 'POST /password/forgot', admin, ip),
      );
      expect(refused(answers)).toHaveLength(1);
    }
  });

  it.each(['POST /orgs/:org_id/invitations', 'PATCH /users/me'])(
    'counts each user by themselves, whatever the session and the network: %s',
    async (route) => {
      const other = await loggedIn(app, admin.email, PASSWORD);
      const answers = await replicas.inParallel(8, (service, index) =>
        call(service, route, index % 4 ? admin : other, `192.0.2.${index}`),
      );
      expect(refused(answers)).toHaveLength(5);
      expect(refused([await call(app, route, await loggedInAs(app, 'sys_admin'))])).toEqual([]);
    },
  );

  it('applies to every route that writes, unless something else bounds what it writes', () => {
    const writing = app.routes.filter((route) => /^(POST|PUT|PATCH|DELETE) /.test(route));
    const limited = Object.values(ROUTES).flat();
    expect(limited.concat(Object.keys(BOUNDED_OTHERWISE))).toEqual(expect.arrayContaining(writing));
  });

  it('counts what is open in B2B alone', async () => {
    const b2b = await TestApp.start(
      { SVC_APP_MODE: 'b2b', SVC_RATE_LIMITS: 'on', SVC_LIMIT_CHANGE_PER_USER: THREE },
      { database: app.database },
    );
    const route = 'DELETE /orgs/:org_id/members/:user_id/factors';
    const answers: Answer[] = [];
    while (answers.length < 4) answers.push(await call(b2b, route));
    await b2b.nest.close();

    expect(refused(answers)).toEqual([answers[3]]);
  });

  it('does not count a request that is refused before it', async () => {
    const foreign = { ...from('192.0.2.1'), origin: 'https://evil.example' };
    for (let requests = 0; requests < 5; requests++)
      expect((await app.browser().post('/password/forgot', {}, foreign)).body.code).toBe('OriginNotAllowed');

    expect((await call(app, 'POST /password/forgot')).status).toBe(400);
  });

  it('can be read by the page of the SPA', async () => {
    const { headers } = await call(app, 'POST /password/forgot');
    expect(headers['access-control-expose-headers']).toContain('RateLimit, RateLimit-Policy');
  });
});
