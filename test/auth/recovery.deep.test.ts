import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import { foundOrg } from '../support/orgs.js';
import { signupsOf } from '../support/signups.js';
import { TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'staple battery horse correct';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_RATE_LIMITS: 'on',
    SVC_LIMIT_SIGNUP_PER_NETWORK: '1000/1h',
    SVC_LIMIT_VERIFY_PER_NETWORK: '4/1h',
    SVC_LIMIT_RESET_PER_NETWORK: '4/1h',
    SVC_LIMIT_ACCEPT_PER_NETWORK: '4/1h',
  });
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE rate_limits'));

const wait = (minutes: number) =>
  app.database.rows('UPDATE rate_limits SET expire = expire - $1', [minutes * 60_000]);
const forgot = (email: string) => app.browser().post('/password/forgot', { email });
const signup = (email: string, browser: Browser = app.browser(), password = 'a guess of a stranger') =>
  browser.post('/auth/signup', { email, password });

/** Strangers sign up five times with an address, and its mails are written. */
async function strangersSignUp(email: string): Promise<void> {
  for (let signups = 0; signups < 5; signups++) expect((await signup(email)).status).toBe(202);
  await app.mailbox.to(email);
}

/** Strangers ask for another link to complete a signup, until the limit on them is used up. */
async function askedForLinks(email: string): Promise<void> {
  for (let resends = 0; resends < 6; resends++) {
    await app.browser().post('/auth/verify-email/resend', { email });
    await app.database.rows(`DELETE FROM rate_limits WHERE key LIKE 'onceAMinute%'`);
  }
}

/** Strangers guess the password of an account, until its owner may not try it in a new browser. */
async function guessed(email: string): Promise<void> {
  const logIn = (password: string) => app.browser().post('/auth/login', { email, password });
  for (let guesses = 0; guesses < 11; guesses++) await logIn('not the password');
  expect((await logIn(PASSWORD)).body.code).toBe('TooManyAttempts');
}

async function invite(email: string): Promise<Answer> {
  const creator = await loggedInAs(app, 'sys_admin');
  return creator.post('/orgs', { name: 'Initech', admin_email: email });
}

/** Organizations invite an address, until its limit on mails is used up. */
async function invited(email: string): Promise<void> {
  for (let orgs = 0; orgs < 5; orgs++) expect((await invite(email)).status).toBe(201);
  expect((await invite(email)).status).toBe(429);
}

describe('what an owner needs', () => {
  it.each([
    ['the link to set a new password', () => verified(app), [guessed, strangersSignUp, invited], forgot],
    ['the link of a signup', freshAddress, [askedForLinks, invited], signup],
    ['an invitation', freshAddress, [strangersSignUp, askedForLinks], invite],
  ])('is mailed whatever others had mailed to the address: %s', async (_, address, others, ask) => {
    const email = await address();
    for (const act of others) await act(email);
    const before = (await app.mailbox.to(email)).length;

    expect((await ask(email)).status).toBeLessThan(300);
    expect(await app.mailbox.to(email)).toHaveLength(before + 1);
  });
});

describe('the link to set a new password', () => {
  it('is refused only while one mailed before is good, also after strangers have asked for many', async () => {
    const email = await verified(app);
    const refusals: Answer[] = [];
    for (let minute = 0; minute < 4; minute++) {
      const answer = await forgot(email);
      if (answer.status === 429) refusals.push(answer);
      await wait(1);
    }

    expect(refusals).toMatchObject([{ body: { code: 'TooManyRequests' } }]);
    expect(Number(refusals[0]?.headers['retry-after'])).toBeLessThanOrEqual(3600);
    const body = { token: await app.mailbox.token(email), new_password: NEW_PASSWORD };
    expect((await app.browser().post('/password/reset', body)).status).toBe(204);
  });
});

describe('signups of strangers with an address', () => {
  it('do not refuse that of its owner, who completes it with a link mailed before and their password', async () => {
    const email = freshAddress();
    await strangersSignUp(email);
    const mailed = await app.mailbox.to(email);

    const owner = app.browser();
    expect((await signup(email, owner, PASSWORD)).status).toBe(202);

    expect(await app.mailbox.to(email)).toEqual(mailed);
    const token = /token=([\w-]+)/.exec(mailed[0]?.text ?? '')?.[1];
    const verify = (body: object) => owner.post('/auth/verify-email', { token, ...body });
    expect((await verify({})).body.code).toBe('PasswordRequired');
    expect((await verify({ password: 'a guess of a stranger' })).body.code).toBe('PasswordRequired');
    expect((await verify({ password: PASSWORD })).body.user.email).toBe(email);
    expect((await app.browser().post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });

  it('are answered alike whether or not the address has an account, also beyond the limit', async () => {
    const shown = async (email: string) => {
      await strangersSignUp(email);
      const { status, headers, text } = await signup(email);
      return [status, Object.keys(headers), text.replace(email, 'it'), (await signupsOf(app, email)).length];
    };

    expect(await shown(await verified(app))).toEqual(await shown(freshAddress()));
  });
});

describe('the mails to one mailbox', () => {
  it('are counted for all of its tags together, and apart from those without one', async () => {
    const [name] = freshAddress().split('@');
    const statuses = [];
    for (let tags = 0; tags < 7; tags++)
      statuses.push((await signup(`${name}+tag${tags}@example.com`)).status);

    expect(statuses).toEqual(Array(7).fill(202));
    const mailed = async (tag: string) => (await app.mailbox.to(`${name}${tag}@example.com`)).length;
    expect([await mailed('+tag4'), await mailed('+tag5'), await mailed('+tag6')]).toEqual([1, 0, 0]);
    expect((await signup(`${name}@example.com`)).status).toBe(202);
    expect(await mailed('')).toBe(1);
  });
});

/**
 * A link that was mailed to its holder: where its token is posted, with what beside it, and what the answer is then. The
 * holder is logged in where the link asks for that.
 */
interface Link {
  path: string;
  mailed: () => Promise<{ token: string; holder?: Browser }>;
  beside?: object;
  status: number;
}

async function mailedInvitation() {
  const email = freshAddress();
  const { id, admin } = await foundOrg(app, 'Initech');
  await admin.post(`/orgs/${id}/invitations`, { email, role: 'member' });
  return { token: await app.mailbox.token(email) };
}

const LINKS: Record<string, Link> = {
  'a link to set a new password': {
    path: '/password/reset',
    mailed: async () => {
      const email = await verified(app);
      await forgot(email);
      return { token: await app.mailbox.token(email) };
    },
    beside: { new_password: NEW_PASSWORD },
    status: 204,
  },
  'a link that completes a signup': {
    path: '/auth/verify-email',
    mailed: async () => {
      const email = freshAddress();
      await signup(email);
      return { token: await app.mailbox.token(email) };
    },
    beside: { new_password: NEW_PASSWORD },
    status: 200,
  },
  'a link of a mail that warns its owner': {
    path: '/auth/secure-account',
    mailed: async () => {
      const { email } = await loggedIn(app);
      await loggedIn(app, email);
      return { token: await app.mailbox.token(email) };
    },
    status: 204,
  },
  'a link to confirm a new address': {
    path: '/users/me/email/confirm',
    mailed: async () => {
      const [holder, email] = [await loggedIn(app), freshAddress()];
      await holder.post('/users/me/email', { new_email: email, current_password: PASSWORD });
      return { token: await app.mailbox.token(email), holder };
    },
    status: 200,
  },
  'a link to look at an invitation': {
    path: '/invitations/preview',
    mailed: mailedInvitation,
    status: 200,
  },
  'a link to accept an invitation': {
    path: '/invitations/accept',
    mailed: mailedInvitation,
    beside: { password: NEW_PASSWORD },
    status: 201,
  },
  'a link to decline an invitation': {
    path: '/invitations/decline',
    mailed: mailedInvitation,
    status: 204,
  },
};

describe.each(Object.entries(LINKS))('%s', (_, { path, mailed, beside, status }) => {
  it('lets its holder in, whatever strangers behind the same address present', async () => {
    const { token, holder = app.browser() } = await mailed();
    const stranger = await loggedIn(app);
    await app.database.rows('TRUNCATE rate_limits');
    const guesses: Answer[] = [];
    while (guesses.length < 5)
      guesses.push(await stranger.post(path, { token: `guess-${guesses.length}`, ...beside }));
    expect(guesses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 429]);
    expect(guesses[4]?.body.code).toBe('TooManyRequests');

    expect((await holder.post(path, { token, ...beside })).status).toBe(status);
  });
});
