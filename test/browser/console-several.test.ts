import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { Role } from '../../src/http/role.js';
import { freshAddress } from '../support/accounts.js';
import { AiStandIn, writes } from '../support/ai-stand-in.js';
import { joinOrg } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { allow } from './all-said.js';
import { CONSOLE, systemAdmin } from './console.js';
import { type Consultant, consultant } from './consultant.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** What the language model writes. */
const SUMMARY = 'Nothing looks unusual.';

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

let ai: AiStandIn;
let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  [ai, stripe] = await Promise.all([AiStandIn.start(), StripeStandIn.start()]);
  allow(SUMMARY);
  ai.behaviour = writes(SUMMARY);
  stage = await Stage.inDev({ ...ai.variables, ...stripe.variables, SVC_ORGS_PER_USER: '5' });
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([ai.close(), stripe.stop()]);
});

/** An admin of two organizations, who is a member of a third. */
const TWO_AND_ONE: [org: string, role: string][] = [
  ['Analytical', 'org_admin'],
  ['Differential', 'org_admin'],
  ['Mechanical', 'member'],
];

describe('an admin of two organizations', () => {
  it('works on both in two tabs, of which no request names another one than the address does', async () => {
    const ada = await consultant(stage, ...TWO_AND_ONE);
    const [analytical, differential] = ada.orgs as [string, string];
    const people = [
      await joinOrg(stage.app, { id: analytical }, Role.MEMBER),
      await joinOrg(stage.app, { id: differential }, Role.MEMBER),
    ].map(({ email }) => email) as [string, string];
    await stage.app.database.rows(
      `INSERT INTO billing_customers (id, org_id, stripe_customer_id, subscription_id, status, quantity, read_at)
       VALUES (gen_random_uuid(), $1, 'cus_ada', 'sub_ada', 'active', 2, now())`,
      [analytical],
    );
    const requests = record(ada);
    await ada.open(CONSOLE);
    await ada.find('heading', 'Your organizations').waitFor();
    expect(await ada.texts(ada.find('main').getByRole('listitem'))).toEqual(['Analytical', 'Differential']);
    const other = await ada.inNewTab();
    await other.open(CONSOLE);
    await ada.follow('Analytical');
    await other.follow('Differential');
    await ada.sees(people[0]);
    await other.sees(people[1]);
    expect(ada.path).toBe(`/admin/organization?id=${analytical}`);
    expect(other.path).toBe(`/admin/organization?id=${differential}`);
    expect(await ada.text(ada.find('main'))).not.toContain(people[1]);
    await ada.sees('Active');
    await other.sees('The organization has no subscription.');

    for (const [tab, email] of [
      [ada, people[0]],
      [other, people[1]],
    ] as const) {
      await tab.press('Invite');
      await tab.submit('Invite', { Email: freshAddress() });
      await tab.sees('is invited.');
      await tab.press(`Change role of ${email}`);
      await tab.choose('Role', 'Read-only');
      await tab.press('Save');
      await tab.sees(`${email} is now read-only.`);
    }
    await ada.follow('Activity');
    await other.follow('Activity');
    await ada.arrivesAt(`/admin/activity?org_id=${analytical}`);
    await other.arrivesAt(`/admin/activity?org_id=${differential}`);
    await ada.row(people[0]).first().waitFor();
    await other.row(people[1]).first().waitFor();
    expect(await ada.text(ada.find('main'))).not.toContain(people[1]);
    await ada.submit('Filter', { Person: people[0] });
    await ada.row(people[0]).first().waitFor();
    expect(ada.path).toContain(`org_id=${analytical}`);
    await ada.press('Write a summary');
    await ada.sees(SUMMARY);
    const saved = await savedBy(ada);
    expect(saved).toContain(people[0]);
    expect(saved).not.toContain(people[1]);
    await ada.follow('Organization');
    await ada.arrivesAt(`/admin/organization?id=${analytical}`);
    await ada.follow('Change');
    await ada.arrivesAt(`/ui/billing?org=${analytical}`);

    expect(crossing(requests, ada.orgs)).toEqual([]);
    expect(unnamed(requests, ada.orgs)).toEqual(['/users/me']);
    expect(requests.length).toBeGreaterThan(30);
  });

  it('sees which one a screen is about, and goes on to the other', async () => {
    const ada = await consultant(stage, ...TWO_AND_ONE);
    const [analytical, differential] = ada.orgs as [string, string];
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await ada.open(`${CONSOLE}/activity?org_id=${analytical}`);
    await ada.sees('Activity');
    await ada.hasLoaded();
    await ada.unfold('Analytical');
    await looksRight(ada, 'console-several-activity');
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    expect(await ada.find('link', 'Mechanical').count()).toBe(0);
    await ada.follow('Differential');

    await ada.arrivesAt(`/admin/activity?org_id=${differential}`);
    await ada.hasLoaded();
  });

  it('chooses one where the address of a screen names none', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'org_admin']);
    await ada.open(`${CONSOLE}/activity`);
    await ada.find('heading', 'Your organizations').waitFor();
    await looksRight(ada, 'console-several-choice');
    await ada.follow('Differential');
    await ada.arrivesAt(`/admin/activity?org_id=${ada.orgs[1]}`);
    await ada.hasLoaded();
    await ada.open(`${CONSOLE}/users`);
    await ada.sees('This is for system admins.');
    await ada.follow('Your organizations');

    await ada.find('heading', 'Your organizations').waitFor();
  });
});

describe('an admin of one of several organizations', () => {
  it('begins at that one, and has nothing to administer in the others', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'member']);
    const [analytical, differential] = ada.orgs as [string, string];
    await ada.open(CONSOLE);
    await ada.arrivesAt(`/admin/organization?id=${analytical}`);
    await ada.sees('1 member');
    await ada.hasLoaded();
    await ada.open(`${CONSOLE}/activity`);
    await ada.arrivesAt(`/admin/activity?org_id=${analytical}`);
    await ada.hasLoaded();

    for (const screen of [`organization?id=${differential}`, `activity?org_id=${differential}`]) {
      await ada.open(`${CONSOLE}/${screen}`);
      await ada.sees('There is nothing for you to administer.');
      expect(await ada.find('table').count()).toBe(0);
    }
  });

  it('finds no organization of others', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'member']);
    const { orgs } = await consultant(stage, ['Globex', 'org_admin']);
    ada.expectRefusal('404 /orgs/{id}', '404 /audit-events');
    await ada.open(`${CONSOLE}/organization?id=${orgs[0]}`);
    await ada.sees('There is no such organization');
    await ada.open(`${CONSOLE}/activity?org_id=${orgs[0]}`);
    await ada.sees('There is no such organization');

    expect(await ada.text()).not.toContain('Globex');
  });
});

describe('a system admin', () => {
  it('sees all organizations of a user, with the role in each', async () => {
    const { id, email } = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'readonly']);
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/users?search=${email}`);
    await root.sees('2 organizations', root.row(email));
    await root.follow(email);
    await root.arrivesAt(`/admin/user?id=${id}`);
    await root.find('link', 'Analytical').waitFor();
    await root.find('link', 'Differential').waitFor();
    await root.hasLoaded();
    const rows = root.page.locator('section[aria-labelledby="profile"] li:has(a[href*="/organization?"])');
    expect((await root.texts(rows)).map((text) => text.split(/\n+/))).toEqual([
      ['Organization', 'Analytical', 'Admin'],
      ['Organization', 'Differential', 'Read-only'],
    ]);
    await looksRight(root, 'console-user-several');
    await root.press(`Delete the account ${email}`);
    await root.sees('Analytical has no other members, and is deleted too.');

    await root.hasLoaded();
    expect(await root.text(root.find('dialog'))).not.toContain('Differential');
  });
});

/** What the tabs of a visitor ask the API for, each with the address of the page that asked. */
interface Asked {
  page: string;
  path: string;
  /** The ids that the request names, wherever it does. */
  ids: string[];
}

/** Notes each request of all tabs of a visitor, from now on. */
function record({ page }: Visitor): Asked[] {
  const asked: Asked[] = [];
  const note = (request: Request) => {
    const { pathname, search } = new URL(request.url());
    // The words of the page are a file of it, and no answer of the API.
    if (request.resourceType() !== 'fetch' || pathname.startsWith('/ui/')) return;
    const named = [pathname, search, request.headers()['latchkey-org'], request.postData()].join(' ');
    asked.push({ page: request.frame().url(), path: pathname, ids: named.match(UUID) ?? [] });
  };
  const watch = (tab: Page) => tab.on('request', note);
  watch(page);
  page.context().on('page', watch);
  return asked;
}

/** The requests that name another one of some organizations than the address of their page does. */
function crossing(asked: Asked[], orgs: string[]): Asked[] {
  return asked.filter(({ page, ids }) => ids.some((id) => orgs.includes(id) && !page.includes(id)));
}

/** The paths of requests that name none of some organizations. */
function unnamed(asked: Asked[], orgs: string[]): string[] {
  const paths = asked.filter(({ ids }) => !ids.some((id) => orgs.includes(id))).map(({ path }) => path);
  return [...new Set(paths)];
}

/** The list of the screen at hand, as a file. */
async function savedBy(visitor: Consultant): Promise<string> {
  const download = visitor.page.waitForEvent('download');
  await visitor.press('Save as CSV');
  return readFile(await (await download).path(), 'utf8');
}
