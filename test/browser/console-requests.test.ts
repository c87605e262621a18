import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE } from './console.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** What the badge and the frame of each screen ask for. */
const OF_SYSTEM = ['/mails/states', '/users/me'];

/** What the screen of an organization asks for below it. */
const OF_ORG = ['/members', '/invitations', '/policy'];

let stripe: StripeStandIn;
let stage: Stage;
let nasty: Nasty;
let system: Visitor;
let admin: Visitor;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev({ ...stripe.variables });
  nasty = await seedNasty(stage.app);
  system = await stage.visitor();
  await system.logIn(nasty.system.email);
  admin = await stage.visitor();
  await admin.logIn(nasty.admin.email);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('a screen asks for what it shows, once, and for nothing of another screen', () => {
  it.each([
    ['/organizations', ['/orgs']],
    ['/users', ['/users']],
    ['/activity', ['/audit-events']],
    ['/mail', ['/mails']],
    ['/billing', ['/subscription/customers']],
    ['/system', ['/system']],
    ['', ['/system', '/system/figures', '/audit-events']],
  ])('%s', async (path, own) => {
    expect(await requestsOf(system, path)).toEqual([...OF_SYSTEM, ...own].sort());
  });

  it('a user', async () => {
    const { id } = nasty.admin;
    const parts = ['', '/sessions', '/identities'].map((part) => `/users/${id}${part}`);

    expect(await requestsOf(system, `/user?id=${id}`)).toEqual(
      [...OF_SYSTEM, ...parts, '/audit-events', '/audit-events/days'].sort(),
    );
  });

  it('an organization', async () => {
    const org = `/orgs/${nasty.orgId}`;

    expect(await requestsOf(system, `/organization?id=${nasty.orgId}`)).toEqual(
      [...OF_SYSTEM, org, ...OF_ORG.map((part) => org + part), '/subscription/customers'].sort(),
    );
  });

  it('an organization and its activity, for its admin', async () => {
    const org = `/orgs/${nasty.orgId}`;

    expect(await requestsOf(admin, '/organization')).toEqual(
      ['/users/me', org, ...OF_ORG.map((part) => org + part), '/subscription'].sort(),
    );
    expect(await requestsOf(admin, '/activity')).toEqual(['/audit-events', '/users/me']);
  });
});

/** The paths that a screen asks the API for, in the order of the alphabet. */
async function requestsOf(visitor: Visitor, path: string): Promise<string[]> {
  const asked: string[] = [];
  const { page } = await visitor.inNewTab();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // The words of the page are a file of it, and no answer of the API.
    if (request.resourceType() === 'fetch' && !pathname.startsWith('/ui/assets/')) asked.push(pathname);
  });
  await page.goto(`${CONSOLE}${path}`, { waitUntil: 'networkidle' });
  await page.close();
  return asked.sort();
}
