import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { freshAddress, loggedInAs, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { AiStandIn } from '../support/ai-stand-in.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, invite } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { TestApp } from '../support/test-app.js';
import { HOSTILE } from './hostile-values.js';

/** The parts of the bodies below, once there are accounts. */
const given = {
  email: '',
  verificationToken: '',
  alarmToken: '',
  changeToken: '',
  resetToken: '',
  orgId: '',
  userId: '',
  invitation: '',
  priceId: '',
};

let app: TestApp;
let ai: AiStandIn;
let stripe: StripeStandIn;
/** A new person for each test, since one of them deletes the account. */
let browser: Browser;
beforeAll(async () => {
  [stripe, ai] = [await StripeStandIn.start(), await AiStandIn.start()];
  app = await TestApp.start({ ...stripe.variables, ...ai.variables, SVC_EMAIL_CODE_LOGIN: 'on' });
  given.priceId = stripe.account.addPrice();
  given.email = await verified(app);
  given.verificationToken = await app.mailbox.token(await signedUp(app));
  const forgetful = await verified(app);
  await app.browser().post('/password/forgot', { email: forgetful });
  given.resetToken = await app.mailbox.token(forgetful);
  given.alarmToken = await app.mailbox.token(await signedUp(app));
  const { id, member } = await foundOrg(app);
  Object.assign(given, { orgId: id, userId: member.id });
});
beforeEach(async () => {
  browser = await loggedInAs(app, 'sys_admin');
  await app.database.rows('TRUNCATE invitations, invitation_mails');
  const newEmail = freshAddress();
  await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
  given.changeToken = await app.mailbox.token(newEmail);
  given.invitation = await invite(app, browser, given.orgId, freshAddress());
});
afterAll(async () => {
  await app.close();
  await stripe.stop();
  await ai.close();
});

const NEW_PASSWORD = 'a wholly different phrase';

/** Every endpoint with a body, and a body that it accepts. */
const ENDPOINTS: ['POST' | 'PATCH' | 'DELETE', string, () => Record<string, unknown>][] = [
  ['POST', '/auth/signup', () => ({ email: freshAddress(), password: PASSWORD, name: 'Ada' })],
  [
    'POST',
    '/auth/signup-org',
    () => ({ email: freshAddress(), password: PASSWORD, name: 'Ada', org_name: 'Initech' }),
  ],
  ['POST', '/auth/verify-email', () => ({ token: given.verificationToken, password: PASSWORD })],
  ['POST', '/auth/secure-account', () => ({ token: given.alarmToken })],
  ['POST', '/auth/verify-email/resend', () => ({ email: given.email })],
  ['POST', '/auth/login', () => ({ email: given.email, password: PASSWORD })],
  ['POST', '/password/forgot', () => ({ email: given.email })],
  ['POST', '/auth/email-code', () => ({ email: given.email })],
  ['POST', '/password/reset', () => ({ token: given.resetToken, new_password: NEW_PASSWORD })],
  ['POST', '/auth/step-up', () => ({ password: PASSWORD })],
  ['POST', '/password/update', () => ({ current_password: PASSWORD, new_password: NEW_PASSWORD })],
  ['PATCH', '/users/me', () => ({ name: 'Ada' })],
  ['POST', '/users/me/email', () => ({ new_email: freshAddress(), current_password: PASSWORD })],
  ['POST', '/users/me/email/confirm', () => ({ token: given.changeToken })],
  ['DELETE', '/users/me', () => ({ current_password: PASSWORD })],
  ['PATCH', '/users/:user_id', () => ({ role: 'readonly', disabled: true })],
  ['POST', '/orgs', () => ({ name: 'Initech', admin_email: freshAddress() })],
  ['PATCH', '/orgs/:org_id', () => ({ name: 'Initech', second_factor_required: false })],
  ['PATCH', '/orgs/:org_id/members/:user_id', () => ({ role: 'readonly' })],
  ['POST', '/orgs/:org_id/invitations', () => ({ email: freshAddress(), role: 'member' })],
  ['POST', '/invitations/preview', () => ({ token: given.invitation })],
  ['POST', '/invitations/accept', () => ({ token: given.invitation, password: PASSWORD, name: 'Ada' })],
  ['POST', '/invitations/decline', () => ({ token: given.invitation })],
  ['POST', '/subscription/checkout', () => ({ price_id: given.priceId })],
  ['POST', '/ai/activity-summary', () => ({ scope: 'me', since: '2026-01-31T09:30:00Z' })],
];

/** Sends a body to an endpoint, about the organization and the member of the test. */
function send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown) {
  const url = path.replace(':org_id', given.orgId).replace(':user_id', given.userId);
  return browser.send(method, url, body);
}

/** All that a request could change. */
async function everything(): Promise<unknown> {
  const tables = [
    'users',
    'organizations',
    'sessions',
    'one_time_tokens',
    'signups',
    'invitations',
    'invitation_mails',
  ];
  tables.push('billing_customers', 'stripe_attempts');
  return Promise.all(tables.map((table) => app.database.rows(`SELECT * FROM ${table} ORDER BY id`)));
}

describe.each(ENDPOINTS)('%s %s', (method, url, validBody) => {
  it.each(Object.keys(validBody()))(
    'refuses every invalid value of %s by its name, and changes nothing',
    async (field) => {
      const before = await everything();

      const hostile = HOSTILE[`${method} ${url} ${field}`] ?? HOSTILE[field] ?? {};
      for (const [what, value] of Object.entries(hostile)) {
        const { status, body } = await send(method, url, { ...validBody(), [field]: value });
        expect({ what, status, code: body?.code, errors: body?.errors }).toEqual({
          what,
          status: 400,
          code: 'ValidationFailed',
          errors: [
            {
              field,
              messages: [expect.stringMatching(/^(must|is nested)/)],
              reasons: [expect.objectContaining({ code: expect.stringMatching(/^(not_|too_)/) })],
            },
          ],
        });
      }
      expect(await everything()).toEqual(before);
    },
  );

  it('accepts the body without an invalid value', async () => {
    const { status } = await send(method, url, validBody());
    expect([200, 201, 202, 204]).toContain(status);
  });

  it('answers any other value in any field without failing', async () => {
    const field = fc.constantFrom(...Object.keys(validBody()));
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 300 }));

    await fc.assert(
      fc.asyncProperty(field, value, async (name, content) => {
        const body = { ...validBody(), [name]: content };
        const { status } = await send(method, url, body);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a name', () => {
  it('may be null, or left out', async () => {
    for (const name of [null, undefined]) {
      const email = freshAddress();
      const answer = await app.browser().post('/auth/signup', { email, password: PASSWORD, name });

      expect(answer.status).toBe(202);
      expect(await app.database.rows('SELECT name FROM signups WHERE email = $1', [email])).toEqual([
        { name: null },
      ]);
    }
  });
});

describe('a password', () => {
  it.each([
    ['a NUL', 'before\0after, and more'],
    ['control characters', '\t\x07\x1b line\nbreak'],
    ['256 characters beyond the basic plane', `${'😀🙃'.repeat(127)}🔑🚪`],
    ['spaces around it', '  spaces count  '],
  ])('may have %s, and is taken as it is', async (_, password) => {
    const email = await verified(app, { password });
    const login = (attempt: string) => app.browser().post('/auth/login', { email, password: attempt });

    expect((await login(password)).status).toBe(200);
    const characters = [...password];
    for (const other of [characters.slice(1), characters.slice(0, -1), characters.with(-1, '?')])
      expect((await login(other.join(''))).body.code).toBe('InvalidCredentials');
  });
});
