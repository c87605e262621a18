import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { isAtLeast, Role } from '../../src/http/role.js';
import { CLIENT_PACKAGE } from '../../src/openapi/client-package.js';
import { bundleOnce } from '../../src/pages/bundle.js';
import { LOGIN_PAGES, SYSTEM_SCREENS, USER_SCREENS } from '../../src/pages/page-list.js';
import { freshAddress, giveRole, signedUp } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { place } from '../support/orgs.js';
import { type DocumentedRoute, documentedRoutes } from '../support/routes.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';
import { until } from '../support/until.js';

/** The methods of a route that takes every one; OPTIONS goes without saying. */
const ANY_METHOD = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'SEARCH'],
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK'],
];

/** Who may call a route: every caller, users from a role on, browsers whose login lacks its second step, or no caller. */
type Access = 'public' | 'pending' | 'closed' | Role;

/** Opens all but what a test of its own opens: without these settings the routes are closed. */
const SETTINGS = {
  ...TOKENS,
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_STRIPE_SECRET_KEY: 'sk_test_1',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
};
const B2C = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...SETTINGS });
const B2B = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...SETTINGS, SVC_APP_MODE: 'b2b' });

/** Routes that are open in B2B alone. */
const B2B_ONLY = documentedRoutes.filter(({ isOpen }) => isOpen(B2B) && !isOpen(B2C)).map(({ name }) => name);

/** The access that the decorators of a route give. The reference of the routes shows each change of it. */
function accessOf({ isPublic, isByPendingLogin, minRole, isOpen }: DocumentedRoute): Access {
  if (!isOpen(B2C) && !isOpen(B2B)) return 'closed';
  if (isByPendingLogin) return 'pending';
  return isPublic ? 'public' : (minRole ?? Role.READONLY);
}

const ACCESS: Record<string, Access> = {
  ...Object.fromEntries(documentedRoutes.map((route) => [route.name, accessOf(route)])),
  // The caller is another member, and in an organization: the service judges.
  'DELETE /orgs/:org_id/members/:user_id': Role.ORG_ADMIN,
  'POST /subscription/portal': Role.ORG_ADMIN,
  ...Object.fromEntries(ANY_METHOD.map((method) => [`${method} /sessions/verify`, Role.READONLY])),
  // It has no content type, so that Fastify answers 400 before any guard asks for a session.
  'QUERY /sessions/verify': 'public',
  'HEAD /auth/oauth/:provider/callback': 'closed',
  'HEAD /cron': 'closed',
  // What stands in no document: the same for every visitor; what the pages show comes from the API.
  ...Object.fromEntries(
    [...LOGIN_PAGES, ...SYSTEM_SCREENS, ...USER_SCREENS].map((path) => [`GET /${path}`, 'public']),
  ),
  'GET /': 'public',
  'GET /.well-known/change-password': 'public',
  'GET /ui': 'public',
  'PUT /ui/language': 'public',
  'GET /ui/login-code': 'public',
  'GET /ui/signup': 'public',
  'GET /ui/account': 'public',
  'GET /ui/security': 'public',
  'GET /ui/second-step': 'public',
  'GET /ui/billing': 'public',
  'GET /ui/assets/:name': 'public',
  'GET /admin/organization': 'public',
  'GET /admin/activity': 'public',
  'GET /admin/billing': 'public',
  'GET /dev/mail': 'public',
  'GET /dev/mail.json': 'public',
  'GET /dev/mail/:file': 'public',
  'GET /dev/mail/preview': 'public',
  'GET /openapi.json': 'public',
  // It answers a question that is signed.
  'GET /system/connection': 'closed',
  'GET /docs': 'public',
  'GET /docs/start.js': 'public',
  // The build makes it.
  [`GET /docs/${CLIENT_PACKAGE}`]: existsSync(`dist/client/${CLIENT_PACKAGE}`) ? 'public' : 'closed',
  'GET /docs/swagger-ui.css': 'public',
  'GET /docs/swagger-ui-bundle.js': 'public',
  'GET /docs/favicon-32x32.png': 'public',
};

/** The script of the pages. */
const { names: pageFiles } = await bundleOnce();

let app: TestApp;
let b2b: TestApp;
/** A mail in the mailbox of `dev`, which is no row. */
let devMail: string;
beforeAll(async () => {
  app = await TestApp.start(SETTINGS);
  await signedUp(app);
  await until(async () => {
    devMail = (await app.browser().get('/dev/mail.json')).body.data[0]?.id;
    return devMail !== undefined;
  });
  // Not before: it could send the mail as well.
  b2b = await TestApp.start({ ...SETTINGS, SVC_APP_MODE: 'b2b' }, { database: app.database });
});
afterAll(async () => {
  await b2b.nest.close();
  await app.close();
});

const serving = (route: string) => (B2B_ONLY.includes(route) ? b2b : app);

async function addUser(role: Role, orgId: string | null): Promise<string> {
  const id = randomUUID();
  const email = freshAddress();
  await app.database.rows('INSERT INTO users (id, email, email_verified_at) VALUES ($1, $2, now())', [
    id,
    email,
  ]);
  if (orgId !== null) await place(app.database, id, orgId);
  await giveRole(app.database, id, role);
  // Personal routes ask for the own role.
  if (role === Role.READONLY)
    await app.database.rows(`UPDATE users SET own_role = 'readonly' WHERE id = $1`, [id]);
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
    .replace('assets/:name', `assets/${pageFiles.login}`)
    .replace('mail/:file', `mail/${devMail}.json`)
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
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined;
  return browser.send(method as 'GET', url, body);
}

/** Gives an authenticator app to the user of a session. */
const ADD_APP = `
  WITH raised AS (UPDATE sessions SET aal = 2, raised_by = 'totp' WHERE id = $1 RETURNING user_id)
  INSERT INTO totp_factors (user_id, secret, confirmed_at) SELECT user_id, '', now() FROM raised`;

/** Takes all from the user of a session that they could log in with. */
const DROP_PROOFS = `
  WITH owner AS (SELECT user_id AS id FROM sessions WHERE id = $1),
       p AS (DELETE FROM passkeys WHERE user_id = (SELECT id FROM owner)),
       i AS (DELETE FROM identities WHERE user_id = (SELECT id FROM owner))
  UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE id = (SELECT id FROM owner)`;

const ROLES = [null, Role.READONLY, Role.MEMBER, Role.ORG_ADMIN, Role.SYSTEM_ADMIN];

describe('the access above', () => {
  it('is known of every route', () => {
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
    // A code is mailed only to who has nothing else to prove it by.
    if (route === 'POST /auth/step-up/code') await app.database.rows(DROP_PROOFS, [own.session]);
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
