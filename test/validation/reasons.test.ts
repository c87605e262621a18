import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REASON_CODES, type Reason } from '../../src/validation/reasons.js';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { appOwner, pendingLogin } from '../support/authenticator-app.js';
import { type Billing, startBilling } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, invite, type TestOrg } from '../support/orgs.js';

const SOME_ID = '01a1fab1-b331-7244-ab8e-0fcc455f8898';
const UNLIKELY = 'a'.repeat(300);

let billing: Billing;
let admin: Browser & { email: string };
let org: TestOrg;
beforeAll(async () => {
  billing = await startBilling({
    SVC_IDP_CLIENT_ID: 'latchkey',
    SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  });
  admin = await loggedInAs(billing.app, 'sys_admin');
  org = await foundOrg(billing.app);
});
afterAll(() => billing.stop());

/** A request of a SYSTEM_ADMIN that is refused, and why. */
interface Refused {
  send: () => ReturnType<Browser['get']>;
  field: string;
  reasons: Reason[];
}

const get = (url: string, field: string, reason: Reason): Refused => ({
  send: () => admin.get(url),
  field,
  reasons: [reason],
});
const post = (url: string, body: unknown, field: string, ...reasons: Reason[]): Refused => ({
  send: () => admin.post(url, body),
  field,
  reasons,
});
const signup = (body: object, field: string, ...reasons: Reason[]) =>
  post('/auth/signup', { email: freshAddress(), password: PASSWORD, ...body }, field, ...reasons);
const nested = { a: { a: { a: { a: { a: 1 } } } } };

const REFUSED: Refused[] = [
  signup({ email: 'ada' }, 'email', { code: 'not_an_address' }),
  signup({ password: '' }, 'password', { code: 'not_a_password', max: 256 }),
  signup({ password: UNLIKELY }, 'password', { code: 'not_a_password', max: 256 }),
  signup({ password: 'xkvtq' }, 'password', { code: 'too_short', min: 8 }),
  signup({ password: 'password' }, 'password', { code: 'too_common' }),
  signup({ password: 'yzyzyzyzyz' }, 'password', { code: 'repeats' }),
  signup({ email: 'lovelace-family@example.com', password: 'lovelace-family' }, 'password', {
    code: 'own_words',
  }),
  signup({ password: '1111' }, 'password', { code: 'too_short', min: 8 }, { code: 'repeats' }),
  signup({ name: '' }, 'name', { code: 'not_a_name', max: 200 }),
  signup({ time_zone: 'Mars/Olympus' }, 'time_zone', { code: 'not_a_time_zone' }),
  post('/orgs', { name: 'Initech', admin_email: 'ada@example.com', locale: 'no tag' }, 'locale', {
    code: 'not_a_locale',
  }),
  post('/orgs', { name: 'Initech', admin_email: 'ada@example.com', locale: 'tlh' }, 'locale', {
    code: 'unknown_locale',
    choices: ['en'],
  }),
  signup({ nickname: 'Ada' }, 'nickname', { code: 'unknown_field' }),
  signup({ email: nested }, 'email', { code: 'too_deep' }),
  post('/auth/signup', '[]', 'body', { code: 'not_an_object' }),
  signup({ email: Array(300).fill(1) }, 'body', { code: 'too_many_values' }),
  post('/auth/verify-email', { token: 'no token!' }, 'token', { code: 'not_a_token' }),
  post('/auth/verify-email', { token: 'abc', code: '7Q4M-0ZK2' }, 'token', { code: 'not_token_or_code' }),
  post('/auth/verify-email', { code: '7Q4M' }, 'code', { code: 'not_a_mailed_code' }),
  post('/auth/step-up', {}, 'password', { code: 'not_exactly_one' }),
  post('/auth/step-up', { totp: '12345' }, 'totp', { code: 'not_a_totp_code' }),
  post('/auth/step-up', { recovery_code: '1' }, 'recovery_code', { code: 'not_a_recovery_code' }),
  post('/auth/step-up', { credential: 1 }, 'credential', { code: 'not_a_credential' }),
  post('/users', { email: freshAddress(), org_id: SOME_ID }, 'org_id', { code: 'not_an_organization' }),
  post('/users', { email: freshAddress(), role: 'org_admin' }, 'role', { code: 'not_for_organization' }),
  post('/users', { email: freshAddress(), role: 'king' }, 'role', { code: 'not_one_of' }),
  get('/sessions/verify?audience=', 'audience', { code: 'not_a_backend' }),
  get('/sessions/verify?org=initech', 'org', { code: 'not_an_org_of_rule' }),
  get('/sessions/verify?permission=notes', 'permission', { code: 'not_permissions' }),
  post('/subscription/checkout', { price_id: '' }, 'price_id', { code: 'not_a_price' }),
  get('/users?email=%00', 'email', { code: 'not_an_address_prefix' }),
  get(`/users?search=${UNLIKELY}`, 'search', { code: 'not_a_search', max: 254 }),
  get('/users?disabled=maybe', 'disabled', { code: 'not_a_flag' }),
  get('/users?ids=1', 'ids', { code: 'not_so_many_ids', max: 100 }),
  get('/users?limit=1.5', 'limit', { code: 'not_whole' }),
  get('/users?limit=0', 'limit', { code: 'too_small', min: 1 }),
  get('/users?limit=101', 'limit', { code: 'too_large', max: 100 }),
  get('/users?cursor=x', 'cursor', { code: 'not_a_cursor' }),
  get(`/users?sort=name&cursor=${Buffer.from(SOME_ID).toString('base64url')}`, 'cursor', {
    code: 'not_of_this_order',
  }),
  get('/users/1', 'id', { code: 'not_an_id' }),
  get('/audit-events?since=yesterday', 'since', { code: 'not_an_instant' }),
  get(`/audit-events?org_id=${SOME_ID}`, 'org_id', { code: 'goes_with_all' }),
  get('/audit-events?search=ada', 'search', { code: 'goes_with_org_or_all' }),
  get('/auth/oauth/idp/authorize-url?return_to=//evil.example', 'return_to', { code: 'not_a_path' }),
  {
    send: () => admin.post('/users/me/email', { new_email: admin.email, current_password: PASSWORD }),
    field: 'new_email',
    reasons: [{ code: 'already_yours' }],
  },
  {
    send: () => org.admin.get(`/orgs/${org.id}`, { 'latchkey-org': SOME_ID }),
    field: 'Latchkey-Org',
    reasons: [{ code: 'not_the_org_of_path' }],
  },
  {
    send: () => org.admin.patch(`/orgs/${org.id}/policy`, { networks: ['10.0.0.1/8'] }),
    field: 'networks',
    reasons: [{ code: 'not_so_many_networks', max: 50 }],
  },
  {
    send: () =>
      org.admin.post(`/orgs/${org.id}/roles`, {
        name: 'Editor',
        base: 'member',
        permissions: ['notes.read'],
      }),
    field: 'permissions',
    reasons: [{ code: 'not_for_roles', max: 190 }],
  },
  {
    send: () =>
      org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'member', role_id: SOME_ID }),
    field: 'role_id',
    reasons: [{ code: 'not_beside_role' }],
  },
  {
    send: () => org.admin.post(`/orgs/${org.id}/invitations/many`, { emails: [], role: 'member' }),
    field: 'emails',
    reasons: [{ code: 'not_so_many_addresses', max: 100 }],
  },
  {
    send: async () => {
      const token = await invite(billing.app, org.admin, org.id, freshAddress());
      return billing.app.browser().post('/invitations/accept', { token });
    },
    field: 'password',
    reasons: [{ code: 'needed_for_account' }],
  },
  {
    send: async () => {
      const { id } = (await admin.post('/users', { email: freshAddress() })).body.user;
      await admin.patch(`/users/${id}`, { disabled: true });
      return admin.post(`/users/${id}/email`, { email: freshAddress() });
    },
    field: 'email',
    reasons: [{ code: 'disabled' }],
  },
  {
    send: async () => {
      await billing.app.database.rows(
        `INSERT INTO users (id, email, name)
         SELECT gen_random_uuid(), 'n' || n || '@crowd.example', 'Crowd' FROM generate_series(1, 51) n`,
      );
      return admin.get('/audit-events?scope=all&search=Crowd');
    },
    field: 'search',
    reasons: [{ code: 'too_many_people', max: 50 }],
  },
  {
    send: async () => {
      const owner = await appOwner(billing.app);
      const [recovery_code] = owner.recoveryCodes;
      const browser = await pendingLogin(billing.app, owner);
      return browser.post('/auth/pending-login/second-factor', { totp: owner.app.code(), recovery_code });
    },
    field: 'totp',
    reasons: [{ code: 'both_given' }],
  },
];

/** What a service of B2B, Pwned Passwords and the rules of a product refuse, which have tests of their own. */
const ELSEWHERE = ['in_breaches', 'needed_by_hand', 'not_a_text', 'not_valid'];

describe('a field that is refused', () => {
  it.each(REFUSED.map((refused) => [refused.reasons.map(({ code }) => code).join(), refused] as const))(
    'has the reason: %s',
    async (_, { send, field, reasons }) => {
      const { status, body } = await send();

      expect({ status, errors: body.errors }).toEqual({
        status: 400,
        errors: [{ field, messages: reasons.map(() => expect.any(String)), reasons }],
      });
    },
  );

  it('has no reason that no request shows', () => {
    const shown = REFUSED.flatMap(({ reasons }) => reasons.map(({ code }) => code));
    expect([...new Set([...shown, ...ELSEWHERE])].sort()).toEqual([...REASON_CODES].sort());
  });
});
