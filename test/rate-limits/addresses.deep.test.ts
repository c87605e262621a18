import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, loggedInAs, PASSWORD, signedUp, verified } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import type { TestApp } from '../support/test-app.js';
import { TwoReplicas } from '../support/two-replicas.js';

let replicas: TwoReplicas;
let app: TestApp;
/** Enough for each request about one address: an account that asks twice within a minute is not counted. */
const CALLERS = 30;

const callers: Browser[] = [];
let asked = 0;
beforeAll(async () => {
  const many = '1000/1h';
  replicas = await TwoReplicas.start({
    SVC_LIMIT_SIGNUP_PER_NETWORK: many,
    SVC_LIMIT_RESEND_PER_NETWORK: many,
    SVC_LIMIT_FORGOT_PER_NETWORK: many,
    SVC_LIMIT_PASSWORD_PER_USER: many,
    SVC_LIMIT_FORGOT_PER_ADDRESS: '5/1h',
  });
  app = replicas.app;
  for (let caller = 0; caller < CALLERS; caller++) callers.push(await loggedIn(app));
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

/** Requests that have a mail sent to an address that the client names. */
const WAYS: Record<string, (email: string, service?: TestApp) => Promise<Answer>> = {
  'POST /auth/signup': (email, service = app) =>
    service.browser().post('/auth/signup', { email, password: PASSWORD }),
  'POST /auth/signup-org': (email, service = app) =>
    service.browser().post('/auth/signup-org', { email, password: PASSWORD, org_name: 'Some' }),
  'POST /auth/verify-email/resend': (email, service = app) =>
    service.browser().post('/auth/verify-email/resend', { email }),
  'POST /password/forgot': (email, service = app) => service.browser().post('/password/forgot', { email }),
  'POST /users/me/email': (email, service = app) => {
    const browser = service.browser();
    const caller = callers[asked++ % CALLERS] as Browser;
    for (const cookie of caller.jar) browser.jar.set(...cookie);
    return browser.post('/users/me/email', { new_email: email, current_password: PASSWORD });
  },
};

/** An address whose owner has confirmed it, one whose owner has not, and one without an account or a signup. */
const addresses = async () => [await verified(app), await signedUp(app), freshAddress()];

/** An answer without the parts that differ from request to request. */
function shown({ status, headers, body }: Answer, email: string): string {
  const { 'x-request-id': _, date: __, 'retry-after': ___, ratelimit: ____, ...rest } = headers;
  return JSON.stringify({ status, headers: rest, body: { ...body, request_id: '' } })
    .replaceAll(email, 'it')
    .replace(/session_id_(signup|code)=[\w-]+/g, 'session_id_$1=');
}

/** The links that are asked for with nothing but an address. */
const LINKS = Object.entries(WAYS).filter(([way]) => /resend|forgot/.test(way));

/** The links that are asked for by a signup, which is refused only where none was mailed. */
const SIGNUPS = Object.entries(WAYS).filter(([way]) => /signup/.test(way));
const OTHERS = Object.entries(WAYS).filter(([way]) => !/signup/.test(way));

/** How many mails wait or were sent to an address. */
const mailsTo = async (email: string) => (await app.mailbox.to(email)).length;

describe.each(SIGNUPS)('%s', (_, send) => {
  it('mails an address five times an hour in whatever spelling, and answers alike for every address and beyond', async () => {
    const answered = [];
    for (const email of [await verified(app), freshAddress()]) {
      await replicas.forget();
      const answers: Answer[] = [];
      for (let signups = 0; signups < 7; signups++) {
        const spelt = signups % 2 ? email.toUpperCase() : email;
        answers.push(...(await replicas.inParallel(1, (service) => send(spelt, service))));
        await mailsTo(email);
      }

      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202, 202]);
      expect(await mailsTo(email)).toBe(5);
      answered.push(answers.map((answer) => shown(answer, email)));
    }
    expect(answered[0]).toEqual(answered[1]);
  });
});

describe.each(OTHERS)('%s', (_, send) => {
  it('mails an address five times an hour, and answers alike for every address', async () => {
    const answered = [];
    for (const email of await addresses()) {
      await replicas.forget();
      const answers: Answer[] = [];

      for (let minute = 0; minute < 7; minute++) {
        answers.push(...(await replicas.inParallel(1, (service) => send(email, service))));
        await replicas.wait(1);
      }

      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429, 429]);
      expect(answers.at(-1)?.body.code).toBe('TooManyRequests');
      await replicas.wait(60);
      expect((await send(email)).status).toBe(202);
      answered.push(answers.map((answer) => shown(answer, email)));
    }

    const [known, ...others] = answered;
    for (const other of others) expect(other).toEqual(known);
  });

  it('counts an address in whatever spelling', async () => {
    const email = freshAddress();
    for (let minute = 0; minute < 5; minute++) {
      expect((await send(email)).status).toBe(202);
      await replicas.wait(1);
    }
    expect((await send(email.toUpperCase())).body.code).toBe('TooManyRequests');
  });
});

describe.each(LINKS)('%s', (_, send) => {
  it('mails the same link once a minute, and answers as if it had sent it again', async () => {
    const [unverified, email] = [await signedUp(app), await verified(app)];
    await replicas.forget();
    const before = (await mailsTo(unverified)) + (await mailsTo(email));

    for (const address of [unverified, email, freshAddress()]) {
      const answers = await replicas.inParallel(8, (service) => send(address, service));
      // The first alone sets the cookie of the mailed code, which tells nothing of an account.
      const others = answers.map(({ headers, ...rest }) => ({
        ...rest,
        headers: { ...headers, 'set-cookie': undefined },
      }));
      expect(new Set(others.map((answer) => shown(answer, address))).size).toBe(1);
      expect(answers[0]?.status).toBe(202);
    }
    expect((await mailsTo(unverified)) + (await mailsTo(email)) - before).toBeLessThanOrEqual(2);

    await replicas.wait(1);
    for (let minute = 0; minute < 4; minute++) {
      expect((await send(email)).status).toBe(202);
      await replicas.wait(1);
    }
    expect((await send(email)).status).toBe(429);
  });

  it('refuses the repetition of a request that was refused', async () => {
    const email = freshAddress();
    for (let minute = 0; minute < 5; minute++) {
      await send(email);
      await replicas.wait(1);
    }

    expect([(await send(email)).status, (await send(email)).status]).toEqual([429, 429]);
  });
});

describe('the mails to one address', () => {
  it('are counted by their kind: invitations together, whatever the caller and the organization', async () => {
    const email = freshAddress();
    const { 'POST /auth/signup-org': _, 'POST /password/forgot': __, ...ways } = WAYS;
    const [one, two, other] = [
      await foundOrg(app, 'One'),
      await foundOrg(app, 'Two'),
      await foundOrg(app, 'Other'),
    ];
    const creator = await loggedInAs(app, 'sys_admin');
    const invited = ({ id, admin }: TestOrg) =>
      admin.post(`/orgs/${id}/invitations`, { email, role: 'member' });
    for (const name of ['Some', 'Another', 'Third'])
      expect((await creator.post('/orgs', { name, admin_email: email })).status).toBe(201);
    for (const org of [one, two]) expect((await invited(org)).status).toBe(201);

    expect(await invited(other)).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
    for (const [way, send] of Object.entries(ways))
      expect([way, (await send(email)).status]).toEqual([way, 202]);
    const invitations = 'SELECT 1 FROM invitations WHERE org_id = $1 AND email = $2';
    expect(await app.database.rows(invitations, [other.id, email])).toEqual([]);
  });

  it('are limited also when a SYSTEM_ADMIN creates organizations for the address', async () => {
    const creator = await loggedInAs(app, 'sys_admin');
    const email = freshAddress();
    const create = () => creator.post('/orgs', { name: 'Some', admin_email: email });
    for (let orgs = 0; orgs < 5; orgs++) expect((await create()).status).toBe(201);
    const before = await app.database.value('SELECT count(*)::int FROM organizations');

    expect((await create()).body.code).toBe('TooManyRequests');

    expect(await app.database.value('SELECT count(*)::int FROM organizations')).toBe(before);
    expect(await mailsTo(email)).toBe(5);
  });

  it('are not counted when the request sends none', async () => {
    const email = freshAddress();
    for (let signups = 0; signups < 6; signups++) {
      const weak = await app.browser().post('/auth/signup', { email, password: 'password' });
      expect(weak.body.code).toBe('WeakPassword');
    }

    expect((await WAYS['POST /auth/signup']?.(email))?.status).toBe(202);
  });

  it('do not include the notices to the owner about the account', async () => {
    const owner = await loggedIn(app);
    const forgot = () => app.browser().post('/password/forgot', { email: owner.email });
    for (let minute = 0; minute < 5; minute++) {
      await forgot();
      await replicas.wait(1);
    }
    expect((await forgot()).status).toBe(429);

    await loggedIn(app, owner.email);

    expect((await app.mailbox.last(owner.email)).subject).toBe('A new login to your account');
  });

  it('are refused with the time to wait, first by the hour and then by the day', async () => {
    const email = freshAddress();
    const resend = () => app.browser().post('/auth/verify-email/resend', { email });
    for (let hour = 0; hour < 4; hour++) {
      for (let mails = 0; mails < 5; mails++) {
        expect((await resend()).status).toBe(202);
        await replicas.wait(1);
      }
      const { headers } = await resend();
      expect(headers['ratelimit-policy']).toBe('"mailPerAddress-3600";q=5;w=3600');
      expect(Math.ceil(Number(headers['retry-after']) / 60)).toBe(55);
      await replicas.wait(55);
    }

    const { headers } = await resend();
    expect(headers['ratelimit-policy']).toBe('"mailPerAddress-86400";q=20;w=86400');
    expect(Math.ceil(Number(headers['retry-after']) / 3600)).toBe(20);
  });
});
