import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAtLeast, Role } from '../../src/http/role.js';
import { CLIENT_PACKAGE } from '../../src/openapi/client-package.js';
import { bundleOnce } from '../../src/pages/bundle.js';
import { freshAddress } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';

/** The methods of a route that takes every one; OPTIONS goes without saying. */
const ANY_METHOD = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'SEARCH'],
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK'],
];

/**
 * Who may call each route: every caller, users from a role on, browsers whose login lacks its second step, or no caller
 * where a setting is missing.
 */
const ACCESS: Record<string, 'public' | 'pending' | 'closed' | Role> = {
  'POST /auth/signup': 'public',
  'POST /auth/signup-org': 'public',
  'POST /auth/verify-email': 'public',
  'POST /auth/secure-account': 'public',
  'POST /auth/verify-email/resend': 'public',
  'POST /auth/login': 'public',
  'POST /auth/step-up': Role.READONLY,
  'POST /auth/step-up/options': Role.READONLY,
  'POST /auth/passkey/options': 'public',
  'POST /auth/passkey/login': 'public',
  'GET /auth/pending-login': 'pending',
  'DELETE /auth/pending-login': 'pending',
  'POST /auth/pending-login/second-factor': 'pending',
  'POST /auth/pending-login/totp': 'pending',
  'POST /auth/pending-login/totp/confirm': 'pending',
  'POST /auth/logout': Role.READONLY,
  'GET /auth/methods': 'public',
  'GET /auth/oauth/:provider/authorize-url': 'closed',
  'HEAD /auth/oauth/:provider/callback': 'closed',
  'GET /auth/oauth/:provider/callback': 'closed',
  'POST /password/forgot': 'public',
  'POST /password/reset': 'public',
  'POST /password/update': Role.READONLY,
  'DELETE /password': Role.READONLY,
  'GET /users/me': Role.READONLY,
  'PATCH /users/me': Role.READONLY,
  'DELETE /users/me': Role.READONLY,
  'POST /users/me/org': Role.MEMBER,
  'POST /users/me/email': Role.READONLY,
  'POST /users/me/email/confirm': Role.READONLY,
  'GET /users/me/identities': Role.READONLY,
  'DELETE /users/me/identities/:id': Role.READONLY,
  'GET /users/me/passkeys': Role.READONLY,
  'POST /users/me/passkeys': Role.READONLY,
  'POST /users/me/passkeys/options': Role.READONLY,
  'PATCH /users/me/passkeys/:id': Role.READONLY,
  'DELETE /users/me/passkeys/:id': Role.READONLY,
  'GET /users/me/factors': Role.READONLY,
  'POST /users/me/totp': Role.READONLY,
  'POST /users/me/totp/confirm': Role.READONLY,
  'DELETE /users/me/totp': Role.READONLY,
  'POST /users/me/recovery-codes': Role.READONLY,
  'GET /users': Role.SYSTEM_ADMIN,
  'GET /users/:id': Role.SYSTEM_ADMIN,
  'PATCH /users/:id': Role.SYSTEM_ADMIN,
  'DELETE /users/:id': Role.SYSTEM_ADMIN,
  'GET /users/:id/sessions': Role.SYSTEM_ADMIN,
  'DELETE /users/:id/sessions': Role.SYSTEM_ADMIN,
  'DELETE /users/:id/sessions/:session_id': Role.SYSTEM_ADMIN,
  'GET /users/:id/identities': Role.SYSTEM_ADMIN,
  'DELETE /users/:id/factors': Role.SYSTEM_ADMIN,
  'GET /sessions': Role.READONLY,
  'DELETE /sessions/:id': Role.READONLY,
  'DELETE /sessions': Role.READONLY,
  'POST /sessions/token': Role.READONLY,
  'GET /.well-known/jwks.json': 'public',
  // It has no content type, so that Fastify answers 400 before any guard asks for a session.
  'QUERY /sessions/verify': 'public',
  ...Object.fromEntries(ANY_METHOD.map((method) => [`${method} /sessions/verify`, Role.READONLY])),
  'POST /orgs': Role.SYSTEM_ADMIN,
  'GET /orgs': Role.SYSTEM_ADMIN,
  'GET /orgs/:org_id': Role.READONLY,
  'PATCH /orgs/:org_id': Role.ORG_ADMIN,
  'DELETE /orgs/:org_id': Role.SYSTEM_ADMIN,
  'GET /orgs/:org_id/members': Role.READONLY,
  'PATCH /orgs/:org_id/members/:user_id': Role.ORG_ADMIN,
  // The user is another member: each member may leave by themselves.
  'DELETE /orgs/:org_id/members/:user_id': Role.ORG_ADMIN,
  'DELETE /orgs/:org_id/members/:user_id/factors': Role.ORG_ADMIN,
  'POST /orgs/:org_id/invitations': Role.ORG_ADMIN,
  'GET /orgs/:org_id/invitations': Role.ORG_ADMIN,
  'DELETE /orgs/:org_id/invitations/:id': Role.ORG_ADMIN,
  'POST /orgs/:org_id/invitations/:id/resend': Role.ORG_ADMIN,
  'POST /invitations/preview': 'public',
  'POST /invitations/accept': 'public',
  'POST /invitations/decline': 'public',
  'GET /audit-events': Role.READONLY,
  'GET /system': Role.SYSTEM_ADMIN,
  'POST /system/cron': Role.SYSTEM_ADMIN,
  'GET /system/connection': 'closed',
  'GET /mails': Role.SYSTEM_ADMIN,
  'POST /mails/retry-dead': Role.SYSTEM_ADMIN,
  'POST /mails/:id/retry': Role.SYSTEM_ADMIN,
  'GET /dev/mail': 'public',
  'POST /subscription/checkout': Role.READONLY,
  // The callers are in an organization; a user without one may open their own.
  'POST /subscription/portal': Role.ORG_ADMIN,
  'GET /subscription': Role.READONLY,
  'GET /subscription/customers': Role.SYSTEM_ADMIN,
  'POST /subscription/customers/:id/reconcile': Role.SYSTEM_ADMIN,
  'POST /subscription/webhook': 'public',
  'POST /ai/activity-summary': Role.READONLY,
  'HEAD /cron': 'closed',
  'GET /cron': 'closed',
  'POST /cron': 'closed',
  'GET /metrics': 'closed',
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /docs/start.js': 'public',
  // The build makes it.
  [`GET /docs/${CLIENT_PACKAGE}`]: existsSync(`dist/client/${CLIENT_PACKAGE}`) ? 'public' : 'closed',
  'GET /docs/swagger-ui.css': 'public',
  'GET /docs/swagger-ui-bundle.js': 'public',
  'GET /docs/favicon-32x32.png': 'public',
  'GET /': 'public',
  'GET /.well-known/change-password': 'public',
  'GET /ui': 'public',
  'GET /ui/login': 'public',
  'GET /ui/signup': 'public',
  'GET /ui/verify-email': 'public',
  'GET /ui/confirm-email': 'public',
  'GET /ui/secure-account': 'public',
  'GET /ui/forgot-password': 'public',
  'GET /ui/reset-password': 'public',
  'GET /ui/accept-invitation': 'public',
  'GET /ui/second-step': 'public',
  'GET /ui/account': 'public',
  'GET /ui/security': 'public',
  'GET /ui/billing': 'public',
  'GET /ui/assets/:name': 'public',
  // The same document for every visitor; what it shows comes from the API.
  'GET /admin': 'public',
  'GET /admin/organizations': 'public',
  'GET /admin/organization': 'public',
  'GET /admin/users': 'public',
  'GET /admin/user': 'public',
  'GET /admin/activity': 'public',
  'GET /admin/mail': 'public',
  'GET /admin/billing': 'public',
  'GET /admin/system': 'public',
};

/** Routes that are open in B2B alone. */
const B2B_ONLY = ['DELETE /orgs/:org_id/members/:user_id/factors'];

/** The script of the pages. */
const { names: pageFiles } = await bundleOnce();

let app: TestApp;
let b2b: TestApp;
beforeAll(async () => {
  const variables = {
    ...TOKENS,
    SVC_STRIPE_SECRET_KEY: 'sk_test_1',
    SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1',
    SVC_AI_API_KEY: 'sk-never-presented',
    SVC_AI_BASE_URL: 'http://127.0.0.1:1',
  };
  app = await TestApp.start(variables);
  b2b = await TestApp.start({ ...variables, SVC_APP_MODE: 'b2b' }, { database: app.database });
});
afterAll(async () => {
  await b2b.nest.close();
  await app.close();
});

const serving = (route: string) => (B2B_ONLY.includes(route) ? b2b : app);

async function addUser(role: Role, orgId: string | null): Promise<string> {
  const id = randomUUID();
  await app.database.rows(
    'INSERT INTO users (id, email, email_verified_at, role, org_id) VALUES ($1, $2, now(), $3, $4)',
    [id, freshAddress(), role, orgId],
  );
  return id;
}

/** The rows that paths name: each `:id` is that of a row, so that no answer is a 404 for want of one. */
interface Rows {
  orgId: string;
  bystander: string;
  bystanderSession: string;
  invitation: string;
  mail: string;
  customer: string;
  session: string;
  identity: string;
  passkey: string;
}

/** An organization with a member who does nothing, and an open invitation. */
async function addOrg(): Promise<Rows> {
  const orgId = randomUUID();
  await app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Some')`, [orgId]);
  const invitation = await app.database.value(
    `INSERT INTO invitations (id, org_id, email, role, token_hash, expires_at)
     VALUES (gen_random_uuid(), $1, $2, 'member', sha256($2::text::bytea), now() + interval '1 hour') RETURNING id`,
    [orgId, freshAddress()],
  );
  const mail = await app.database.value(
    `INSERT INTO outbox_mails (id, kind, recipient, subject, finished_at, outcome)
     VALUES (gen_random_uuid(), 'test', $1, 'Some', now(), 'dead') RETURNING id`,
    [freshAddress()],
  );
  const customer = await app.database.value(
    'INSERT INTO billing_customers (id, org_id) VALUES (gen_random_uuid(), $1) RETURNING id',
    [orgId],
  );
  const bystander = await addUser(Role.READONLY, orgId);
  const bystanderSession = randomUUID();
  await addSession(bystanderSession, bystander);
  return {
    orgId,
    bystander,
    bystanderSession,
    invitation,
    mail,
    customer,
    session: randomUUID(),
    identity: randomUUID(),
    passkey: randomUUID(),
  };
}

/** Logs a user in, and returns the token of the session. */
async function addSession(id: string, userId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await app.database.rows(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, authenticated_at, expires_at)
     VALUES ($1, $2, $3, 'password', now(), now() + interval '1 hour')`,
    [id, userId, createHash('sha256').update(token).digest()],
  );
  return token;
}

/** A browser of a user with a role, in an organization; without a session when there is no role. */
async function browserOf(
  role: Role | null,
  { orgId, session, identity, passkey }: Rows,
  service = app,
): Promise<Browser> {
  const browser = service.browser();
  if (role === null) return browser;

  const userId = await addUser(role, role === Role.SYSTEM_ADMIN ? null : orgId);
  const token = await addSession(session, userId);
  await app.database.rows(
    `INSERT INTO identities (id, user_id, provider, subject) VALUES ($1, $2, 'https://idp.example', gen_random_uuid())`,
    [identity, userId],
  );
  await app.database.rows(
    `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, backup_eligible, backed_up, name)
     VALUES ($1, $2, 'localhost', uuid_send($1), '', 0, true, true, 'Some')`,
    [passkey, userId],
  );
  browser.jar.set('session_id', token);
  return browser;
}

/** Calls a route about some rows, with a body that no endpoint takes. */
function call(browser: Browser, route: string, rows: Rows) {
  const { orgId, bystander, bystanderSession, invitation, mail, customer, session, identity, passkey } = rows;
  const [method = '', path = ''] = route.split(' ');
  const url = path
    .replace('assets/:name', `assets/${pageFiles.ui}`)
    .replace(':provider', 'idp')
    .replace(':org_id', orgId)
    .replace(':user_id', bystander)
    .replace(':session_id', bystanderSession)
    .replace('invitations/:id', `invitations/${invitation}`)
    .replace('customers/:id', `customers/${customer}`)
    .replace('mails/:id', `mails/${mail}`)
    .replace('sessions/:id', `sessions/${session}`)
    .replace('identities/:id', `identities/${identity}`)
    .replace('passkeys/:id', `passkeys/${passkey}`)
    .replace('users/:id', `users/${bystander}`);
  const body = ['POST', 'PATCH'].includes(method) ? {} : undefined;
  return browser.send(method as 'GET', url, body);
}

/** Gives an authenticator app to the user of a session. */
const ADD_APP = `
  INSERT INTO totp_factors (user_id, secret, confirmed_at) SELECT user_id, '', now() FROM sessions WHERE id = $1`;

const ROLES = [null, Role.READONLY, Role.MEMBER, Role.ORG_ADMIN, Role.SYSTEM_ADMIN];

describe('the table above', () => {
  it('has a row for every route', () => {
    const isImplied = (route: string) =>
      route.startsWith('OPTIONS ') || (route.startsWith('HEAD ') && `GET ${route.slice(5)}` in ACCESS);
    const served = app.routes.filter((route) => route in ACCESS || !isImplied(route));
    expect(served.sort()).toEqual(Object.keys(ACCESS).sort());
  });
});

describe.each(Object.entries(ACCESS))('%s', (route, access) => {
  it.each(ROLES)(`answers %s as its access (${access}) says`, async (role) => {
    const own = await addOrg();
    const browser = await browserOf(role, own, serving(route));
    // Otherwise there would be none to remove, which is a 404.
    if (route === 'DELETE /users/me/totp') await app.database.rows(ADD_APP, [own.session]);
    const { status, body } = await call(browser, route, own);
    const answer = { status, code: body?.code };

    if (access === 'closed') expect(status).toBe(404);
    else if (access === 'public') expect([401, 403, 404, 500]).not.toContain(status);
    else if (access === 'pending' || role === null)
      expect(answer).toEqual({ status: 401, code: 'Unauthenticated' });
    else if (!isAtLeast(role, access)) expect(answer).toEqual({ status: 403, code: 'InsufficientRole' });
    else expect([401, 403, 404, 500]).not.toContain(status);
  });
});

describe.each(Object.keys(ACCESS).filter((route) => route.includes(':org_id')))('%s', (route) => {
  it.each(ROLES.slice(1, 4))(
    'answers %s about the organization of others as about one that does not exist',
    async (role) => {
      const [own, others] = [await addOrg(), await addOrg()];
      const browser = await browserOf(role, own, serving(route));

      const theirs = await call(browser, route, others);
      const missing = await call(browser, route, { ...others, orgId: randomUUID() });

      expect(theirs).toMatchObject({ status: 404 });
      expect({ ...theirs.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
      expect(Object.keys(theirs.headers)).toEqual(Object.keys(missing.headers));
    },
  );
});
