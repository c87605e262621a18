import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Role } from '../../src/http/role.js';
import { Browser } from '../support/browser.js';
import { actedFor, crowd, type Person } from '../support/crowd.js';
import { documentedRoutes } from '../support/routes.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';

/** Opens the routes that are closed without these settings. */
const SETTINGS = {
  SVC_ACTING: 'on',
  ...TOKENS,
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_STRIPE_SECRET_KEY: 'sk_test_1',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'never presented',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
};

/** How a route finds the organization of a request. */
type Kind = 'personal' | 'path' | 'open' | 'late' | 'verify' | 'public';

/** The kind of each route in the document. */
const KINDS: Record<Kind, string[]> = {
  // Of the person, or of the whole service: no organization is named.
  personal: [
    'GET /permissions',
    'POST /auth/logout',
    'POST /auth/stop-acting',
    'POST /auth/step-up',
    'POST /auth/step-up/code',
    'POST /auth/step-up/options',
    'DELETE /password',
    'POST /password/update',
    'GET /sessions',
    'DELETE /sessions',
    'DELETE /sessions/:id',
    'PATCH /users/me',
    'DELETE /users/me',
    'GET /users/me/email',
    'POST /users/me/email',
    'DELETE /users/me/email',
    'POST /users/me/email/confirm',
    'GET /users/me/export',
    'GET /users/me/factors',
    'GET /users/me/identities',
    'DELETE /users/me/identities/:id',
    'POST /users/me/identities/:provider/authorize-url',
    'POST /users/me/org',
    'GET /users/me/passkeys',
    'POST /users/me/passkeys',
    'POST /users/me/passkeys/options',
    'PATCH /users/me/passkeys/:id',
    'DELETE /users/me/passkeys/:id',
    'POST /users/me/recovery-codes',
    'POST /users/me/recovery-codes/kept',
    'POST /users/me/totp',
    'DELETE /users/me/totp',
    'POST /users/me/totp/confirm',
    'GET /users',
    'POST /users',
    'GET /users/export',
    'GET /users/:id',
    'PATCH /users/:id',
    'DELETE /users/:id',
    'POST /users/:id/act',
    'POST /users/:id/email',
    'DELETE /users/:id/factors',
    'GET /users/:id/identities',
    'GET /users/:id/sessions',
    'DELETE /users/:id/sessions',
    'DELETE /users/:id/sessions/:session_id',
    'GET /orgs',
    'POST /orgs',
    'GET /audit-events/days',
    'GET /mails',
    'GET /mails/kinds',
    'GET /mails/preview',
    'GET /mails/preview.html',
    'GET /mails/states',
    'POST /mails/:id/retry',
    'POST /mails/retry-dead',
    'POST /mails/test',
    'GET /subscription/customers',
    'POST /subscription/customers/:id/reconcile',
    'GET /system',
    'POST /system/cron',
    'GET /system/figures',
  ],
  path: [
    'GET /orgs/:org_id',
    'PATCH /orgs/:org_id',
    'DELETE /orgs/:org_id',
    'GET /orgs/:org_id/policy',
    'PATCH /orgs/:org_id/policy',
    'GET /orgs/:org_id/roles',
    'POST /orgs/:org_id/roles',
    'PATCH /orgs/:org_id/roles/:id',
    'DELETE /orgs/:org_id/roles/:id',
    'GET /orgs/:org_id/members',
    'GET /orgs/:org_id/members/export',
    'PATCH /orgs/:org_id/members/:user_id',
    'DELETE /orgs/:org_id/members/:user_id',
    'DELETE /orgs/:org_id/members/:user_id/factors',
    'GET /orgs/:org_id/invitations',
    'POST /orgs/:org_id/invitations',
    'POST /orgs/:org_id/invitations/many',
    'DELETE /orgs/:org_id/invitations/:id',
    'POST /orgs/:org_id/invitations/:id/resend',
  ],
  // Of the organization that the header names, or of the only one.
  open: [
    'GET /audit-events/export',
    'POST /sessions/token',
    'GET /access',
    'GET /subscription',
    'POST /subscription/checkout',
    'POST /subscription/portal',
    'GET /subscription/prices',
  ],
  // The same, but the handler decides whether a user of several has to name one.
  late: ['GET /users/me', 'GET /audit-events', 'POST /ai/activity-summary'],
  // The rule in its query says whose organization it is.
  verify: ['GET /sessions/verify'],
  public: [
    'GET /.well-known/jwks.json',
    'GET /auth/methods',
    'POST /auth/login',
    'GET /auth/oauth/:provider/authorize-url',
    'GET /auth/oauth/:provider/callback',
    'POST /auth/email-code',
    'POST /auth/email-code/login',
    'POST /auth/passkey/login',
    'POST /auth/passkey/options',
    'GET /auth/pending-login',
    'DELETE /auth/pending-login',
    'POST /auth/pending-login/second-factor',
    'POST /auth/pending-login/totp',
    'POST /auth/pending-login/totp/confirm',
    'POST /auth/secure-account',
    'POST /auth/signup',
    'POST /auth/signup-org',
    'POST /auth/verify-email',
    'POST /auth/verify-email/resend',
    'GET /cron',
    'POST /cron',
    'GET /health/live',
    'GET /health/ready',
    'POST /invitations/accept',
    'POST /invitations/decline',
    'POST /invitations/preview',
    'GET /metrics',
    'POST /password/forgot',
    'POST /password/reset',
    'POST /password/reset/preview',
    'POST /subscription/webhook',
  ],
};

/**
 * A user of no organization, of A, or of A and B; one whom A has suspended, in no other organization or in B; or a
 * SYSTEM_ADMIN of none, or one who acts for a user of A and B, in A or in none.
 */
type Who = 'none' | 'one' | 'two' | 'suspended' | 'half' | 'root' | 'acting' | 'actingInNone';

interface Asked {
  who: Who;
  /** What the header says: A, B, an organization of others, an id of none, or this very word. */
  names: string | null;
}

/** Requests, all of them into A where there is an organization in the path. */
const CASES = {
  'a user of none': { who: 'none', names: null },
  'a user of A': { who: 'one', names: null },
  'a user of A who names a foreign one': { who: 'one', names: 'foreign' },
  'a user of A who names no id': { who: 'one', names: 'initech' },
  'a user of A and B': { who: 'two', names: null },
  'a user of A and B who names A': { who: 'two', names: 'A' },
  'a user of A and B who names B': { who: 'two', names: 'B' },
  'a user of A and B who names `none`': { who: 'two', names: 'none' },
  'a user of A and B who names a foreign one': { who: 'two', names: 'foreign' },
  'a user of A and B who names an unknown one': { who: 'two', names: 'unknown' },
  'a user whom A has suspended': { who: 'suspended', names: null },
  'a user whom A has suspended, who names A': { who: 'suspended', names: 'A' },
  'a user of B whom A has suspended': { who: 'half', names: null },
  'a user of B whom A has suspended, who names A': { who: 'half', names: 'A' },
  'a SYSTEM_ADMIN': { who: 'root', names: null },
  'a SYSTEM_ADMIN who names A': { who: 'root', names: 'A' },
  'a SYSTEM_ADMIN who names an unknown one': { who: 'root', names: 'unknown' },
  'who acts in A': { who: 'acting', names: null },
  'who acts in A and names A': { who: 'acting', names: 'A' },
  'who acts in A and names B': { who: 'acting', names: 'B' },
  'who acts in A and names `none`': { who: 'acting', names: 'none' },
  'who acts in none': { who: 'actingInNone', names: null },
  'who acts in none and names `none`': { who: 'actingInNone', names: 'none' },
  'who acts in none and names A': { who: 'actingInNone', names: 'A' },
} as const satisfies Record<string, Asked>;

type Case = keyof typeof CASES;
type Verdict = 'in' | 'MembershipSuspended' | 'NotFound' | 'NotAMember' | 'OrgRequired' | 'ValidationFailed';

const casesOf = Object.entries as (cases: typeof CASES) => [Case, Asked][];

const everywhere = Object.fromEntries(casesOf(CASES).map(([name]) => [name, 'in'])) as Record<Case, 'in'>;

const NAMED_AS_SUSPENDED = {
  'a user whom A has suspended, who names A': 'MembershipSuspended',
  'a user of B whom A has suspended, who names A': 'MembershipSuspended',
} as const;

const LATE: Record<Case, Verdict> = {
  ...everywhere,
  ...NAMED_AS_SUSPENDED,
  'a user of A who names a foreign one': 'NotFound',
  'a user of A who names no id': 'ValidationFailed',
  'a user of A and B who names a foreign one': 'NotFound',
  'a user of A and B who names an unknown one': 'NotFound',
  'a SYSTEM_ADMIN who names an unknown one': 'NotFound',
  'who acts in A and names B': 'NotFound',
  'who acts in A and names `none`': 'NotFound',
  'who acts in none and names A': 'NotFound',
};

/** How the routes of each kind judge each case; the public ones judge none. */
const VERDICTS: Record<Exclude<Kind, 'public'>, Record<Case, Verdict>> = {
  personal: everywhere,
  path: {
    ...everywhere,
    ...NAMED_AS_SUSPENDED,
    'a user whom A has suspended': 'MembershipSuspended',
    'a user of B whom A has suspended': 'MembershipSuspended',
    'a user of none': 'NotFound',
    'a user of A who names a foreign one': 'ValidationFailed',
    'a user of A who names no id': 'ValidationFailed',
    'a user of A and B who names B': 'ValidationFailed',
    'a user of A and B who names `none`': 'ValidationFailed',
    'a user of A and B who names a foreign one': 'ValidationFailed',
    'a user of A and B who names an unknown one': 'ValidationFailed',
    'a SYSTEM_ADMIN who names an unknown one': 'ValidationFailed',
    'who acts in A and names B': 'ValidationFailed',
    'who acts in A and names `none`': 'ValidationFailed',
    'who acts in none': 'NotFound',
    'who acts in none and names `none`': 'ValidationFailed',
    'who acts in none and names A': 'NotFound',
  },
  open: { ...LATE, 'a user of A and B': 'OrgRequired' },
  late: LATE,
  // A proxy takes 200, 401 and 403 for a verdict, and a 404 for a fault.
  verify: {
    ...everywhere,
    ...NAMED_AS_SUSPENDED,
    'a user of A who names a foreign one': 'NotAMember',
    'a user of A who names no id': 'ValidationFailed',
    'a user of A and B': 'OrgRequired',
    'a user of A and B who names a foreign one': 'NotAMember',
    'a user of A and B who names an unknown one': 'NotAMember',
    'a SYSTEM_ADMIN who names an unknown one': 'NotAMember',
    'who acts in A and names B': 'NotAMember',
    'who acts in A and names `none`': 'NotAMember',
    'who acts in none and names A': 'NotAMember',
  },
};

/** The problems by which a request is refused for its organization; no handler answers these to what `ask` sends. */
const REFUSALS = ['MembershipSuspended', 'NotFound', 'NotAMember', 'OrgRequired'];

const B2C = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...SETTINGS });
const B2B_ONLY = documentedRoutes.filter(({ isOpen }) => !isOpen(B2C)).map(({ name }) => name);

const ORGS = { A: randomUUID(), B: randomUUID(), foreign: randomUUID(), strict: randomUUID() };

let app: TestApp;
let b2b: TestApp;
/** Who asks in each case: one person each, as some requests end the session. */
const people = new Map<Case, Person>();
/** Two admins of the strict organization in sessions of a password alone; only the second has a factor. */
let [weak, stepping]: Person[] = [];
beforeAll(async () => {
  app = await TestApp.start(SETTINGS);
  b2b = await TestApp.start({ ...SETTINGS, SVC_APP_MODE: 'b2b' }, { database: app.database });
  for (const [name, id] of Object.entries(ORGS))
    await app.database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, name]);
  for (const [name, { who }] of casesOf(CASES)) people.set(name, await person(who));
  await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
    ORGS.strict,
  ]);
  [weak, stepping] = await crowd(app.database, 2, { role: Role.ORG_ADMIN, orgId: ORGS.strict });
  await app.database.rows(`INSERT INTO totp_factors (user_id, secret, confirmed_at) VALUES ($1, '', now())`, [
    stepping?.id,
  ]);
  // What is dangerous, such as the end of A, asks for a fresh proof, and does so after the guard of this test.
  await app.database.rows(`UPDATE sessions SET authenticated_at = now() - interval '1 hour'`);
});
afterAll(async () => {
  await b2b.nest.close();
  await app.close();
});
afterEach(async () => {
  await app.database.rows('UPDATE sessions SET invalidated_at = NULL');
});

async function person(who: Who): Promise<Person> {
  const orgId = who === 'none' || who === 'root' ? null : ORGS.A;
  const role = { none: Role.MEMBER, root: Role.SYSTEM_ADMIN }[who as string] ?? Role.ORG_ADMIN;
  const [made] = (await crowd(app.database, 1, { role, orgId })) as [Person];
  if (who === 'suspended' || who === 'half')
    await app.database.rows('UPDATE memberships SET suspended_at = now() WHERE user_id = $1', [made.id]);
  if (['two', 'half', 'acting', 'actingInNone'].includes(who))
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [made.id, ORGS.B],
    );
  const isActing = who === 'acting' || who === 'actingInNone';
  return isActing ? actedFor(app.database, made, { orgId: who === 'acting' ? ORGS.A : null }) : made;
}

/** Sends a request of the person of a case, by default one that no handler takes. */
function ask(route: string, name: Case, names: Asked['names'], sent = {}) {
  const named = { ...ORGS, unknown: randomUUID() }[names ?? ''] ?? names;
  return sendAs(people.get(name), route, {
    orgId: ORGS.A,
    headers: named === null ? {} : { 'latchkey-org': named },
    sent,
  });
}

/** Sends a request, which is into an organization where there is one in its path. */
function sendAs(
  person: Person | undefined,
  route: string,
  { orgId, headers = {}, sent = {} }: { orgId: string; headers?: Record<string, string>; sent?: object },
) {
  const [method = '', path = ''] = route.split(' ');
  const url = path.replace(':org_id', orgId).replace(/:\w+/g, 'no-id');
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? sent : undefined;
  const browser = new Browser((B2B_ONLY.includes(route) ? b2b : app).nest);
  return browser.send(method as 'GET', url, body, { cookie: person?.cookie ?? '', ...headers });
}

/** What a route does in each case. */
async function verdictsOf(route: string): Promise<Record<string, string>> {
  const verdicts = casesOf(CASES).map(async ([name, { names }]) => {
    const { status, body } = await ask(route, name, names);
    if ([401, 500].includes(status)) throw new Error(`${route} answers ${name} ${status}`);
    const isOfHeader = body?.errors?.[0]?.field === 'Latchkey-Org';
    return [name, isOfHeader || REFUSALS.includes(body?.code) ? body.code : 'in'];
  });
  return Object.fromEntries(await Promise.all(verdicts));
}

/** The routes whose kind is to be known; HEAD and OPTIONS go without saying. */
const isTold = (route: string) => !/^(HEAD|OPTIONS) /.test(route);

const VERIFY = ' /sessions/verify';

describe('the kind of a route', () => {
  it('is known of each in the document', () => {
    expect(Object.values(KINDS).flat().sort()).toEqual(documentedRoutes.map(({ name }) => name).sort());
  });

  it('is public where there is no session to have an organization', () => {
    const open = documentedRoutes.filter(({ isPublic }) => isPublic).map(({ name }) => name);
    expect(open.sort()).toEqual([...KINDS.public].sort());
  });
});

describe.each(['personal', 'path', 'open', 'late'] as const)('of the kind %s', (kind) => {
  it.each(KINDS[kind])('%s judges the organization of a request', async (route) => {
    expect(await verdictsOf(route)).toEqual(VERDICTS[kind]);
  });
});

describe('a late route', () => {
  it.each([
    ['GET /audit-events?scope=org', {}],
    ['POST /ai/activity-summary', { scope: 'org' }],
  ])('asks a user of several to name one where the scope is an organization: %s', async (route, sent) => {
    const { status, body } = await ask(route, 'a user of A and B', null, sent);

    expect([status, body.code]).toEqual([400, 'OrgRequired']);
  });
});

describe('/sessions/verify', () => {
  it('judges the organization of the header with every method, where its rule says so', async () => {
    // Fastify refuses QUERY before any guard, for want of a content type.
    const routes = app.routes.filter(
      (route) => route.endsWith(VERIFY) && isTold(route) && !/^QUERY/.test(route),
    );

    expect(routes).toContain('PROPFIND /sessions/verify');
    for (const route of routes) expect(await verdictsOf(`${route}?org=header`)).toEqual(VERDICTS.verify);
  });

  it('reads no header where its rule does not say so', async () => {
    const ofTwo = casesOf(CASES).filter(([, { who }]) => who === 'two');

    expect(await verdictsOf('GET /sessions/verify')).toEqual({
      ...everywhere,
      ...Object.fromEntries(ofTwo.map(([name]) => [name, 'OrgRequired'])),
    });
  });
});

describe('a request into an organization that asks for a second factor', () => {
  const LATE_INTO_ORG: [string, object][] = [
    ['GET /audit-events?scope=org', {}],
    ['POST /ai/activity-summary', { scope: 'org' }],
  ];
  const routes = [...KINDS.path, ...KINDS.open, ...KINDS.verify].map((route): [string, object] => [
    route,
    {},
  ]);

  it.each([...routes, ...LATE_INTO_ORG])('is refused to a session without one: %s', async (route, sent) => {
    const asked = { orgId: ORGS.strict, sent };
    const refused = { org_id: ORGS.strict, unmet: ['second_factor'] };

    const { body: ofWeak } = await sendAs(weak, route, asked);
    expect(ofWeak).toMatchObject({ status: 403, code: 'OrgPolicyUnmet', ...refused });
    const { body: ofStepping } = await sendAs(stepping, route, asked);
    expect(ofStepping).toMatchObject({ status: 403, code: 'StepUpRequired', methods: ['totp'], ...refused });
  });
});

describe('a public route', () => {
  it('answers alike whatever the header says', async () => {
    const documented = documentedRoutes.map(({ name }) => name);
    const undocumented = app.routes.filter(
      (route) => isTold(route) && !route.endsWith(VERIFY) && !documented.includes(route),
    );

    for (const route of [...KINDS.public, ...undocumented]) {
      const answers = await Promise.all(
        [null, 'A', 'none', 'foreign', 'initech'].map(async (names) => {
          const { status, body } = await ask(route, 'a user of A and B', names);
          return { route, status, code: body?.code };
        }),
      );
      expect(answers).toEqual(Array(5).fill(answers[0]));
    }
  });
});
