import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE } from './console.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** What the badge and the frame of each screen ask for. */
const OF_SYSTEM = ['/mails/states', '/users/me'];

let stripe: StripeStandIn;
let stage: Stage;
let nasty: Nasty;
let system: Visitor;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev({ ...stripe.variables });
  nasty = await seedNasty(stage.app);
  system = await stage.visitor();
  await system.logIn(nasty.system.email);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('a screen asks for what it shows, once, and for nothing of another screen', () => {
  it.each([
    ['/organizations', ['/orgs']],
    ['/users', ['/users', '/orgs']],
    ['/activity', ['/audit-events', '/users', '/orgs']],
    ['/mail', ['/mails', '/system']],
    ['/billing', ['/subscription/customers', '/system', '/users', '/orgs']],
    ['/system', ['/system']],
    ['', ['/system', '/system/figures', '/audit-events', '/users', '/orgs']],
  ])('%s', async (path, own) => {
    expect(await requestsOf(path)).toEqual([...OF_SYSTEM, ...own].sort());
  });

  it('a user', async () => {
    const { id } = nasty.disabled;
    const parts = ['', '/sessions', '/identities'].map((part) => `/users/${id}${part}`);

    expect(await requestsOf(`/user?id=${id}`)).toEqual([...OF_SYSTEM, ...parts, '/audit-events'].sort());
  });

  it('an organization', async () => {
    const org = `/orgs/${nasty.orgId}`;

    expect(await requestsOf(`/organization?id=${nasty.orgId}`)).toEqual(
      [...OF_SYSTEM, org, `${org}/members`, `${org}/invitations`, '/subscription/customers'].sort(),
    );
  });
});

/** The paths that a screen asks the API for, in the order of the alphabet. */
async function requestsOf(path: string): Promise<string[]> {
  const asked: string[] = [];
  const { page } = await system.inNewTab();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // The words of the page are a file of it, and no answer of the API.
    if (request.resourceType() === 'fetch' && !pathname.startsWith('/ui/assets/')) asked.push(pathname);
  });
  await page.goto(`${CONSOLE}${path}`, { waitUntil: 'networkidle' });
  await page.close();
  return asked.sort();
}
