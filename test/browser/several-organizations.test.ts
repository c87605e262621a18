import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { deliverAll } from '../support/billing.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { consultant, emptyOrg, joinAlso } from './consultant.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** How many organizations a user may join or found. */
const CAP = 3;

const APPLICATION = 'http://localhost:5173';

let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stripe.account.addPrice({ id: 'price_monthly' });
  stage = await Stage.inDev({
    ...stripe.variables,
    SVC_ORGS_PER_USER: String(CAP),
    SVC_ORG_URL: `${APPLICATION}/o/{org}`,
  });
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('a user of several organizations', () => {
  it('sees all of them in the account, and leaves one after a look at what goes with it', async () => {
    const charles = await consultant(
      stage,
      ['Analytical', 'org_admin'],
      ['Differential', 'member'],
      ['Mechanical', 'readonly'],
    );
    await charles.open('/account');
    await charles.find('link', 'Manage Analytical').waitFor();
    expect(await organizationsOf(charles)).toEqual([
      ['Analytical', 'Admin'],
      ['Differential', 'Member'],
      ['Mechanical', 'Read-only'],
    ]);
    expect(await charles.find('link', 'Manage', { isPart: true }).count()).toBe(1);
    const [analytical] = charles.orgs;
    expect(await charles.find('link', 'Open Analytical').getAttribute('href')).toBe(
      `${APPLICATION}/o/${analytical}`,
    );
    await looksRight(charles, 'account-several');

    await charles.press('Leave Analytical');
    await charles.sees('You are its only member, so the organization will be deleted.');
    await charles.press('Cancel');
    await charles.press('Leave Differential');
    await charles.sees('To come back, you need an invitation.');
    await charles.hasLoaded();
    expect(await charles.text()).not.toContain('only member');
    await charles.press('Leave');
    await charles.sees('You have left Differential.');

    expect(await organizationsOf(charles)).toEqual([
      ['Analytical', 'Admin'],
      ['Mechanical', 'Read-only'],
    ]);
    expect(
      await stage.app.database.value('SELECT count(*)::int FROM memberships WHERE user_id = $1', [
        charles.id,
      ]),
    ).toBe(2);
  });

  it('reads which of them requires a second factor, sets one up, or leaves without', async () => {
    const charles = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'member']);
    const strict = await foundOrg(stage.app, 'Governed');
    await joinAlso(stage.app, charles.id, strict.id, 'member');
    await stage.app.database.rows(
      'UPDATE organizations SET second_factor_required_at = now() WHERE id = $1',
      [strict.id],
    );
    await charles.open('/account');
    await charles.sees('To use it, you need a second factor.');
    expect(await charles.find('link', 'Set one up: a second factor').count()).toBe(1);
    expect(await charles.find('link', 'Open Governed').count()).toBe(0);
    await looksRight(charles, 'account-unmet');
    await charles.follow('Set one up: a second factor');
    await charles.find('button', 'Add an authenticator app').waitFor();
    await charles.follow('Back');
    await charles.press('Leave Governed');
    await charles.sees('If you are its only member, the organization will be deleted.');
    await charles.press('Leave');

    await charles.sees('You have left Governed.');
    expect(await organizationsOf(charles)).toEqual([
      ['Analytical', 'Admin'],
      ['Differential', 'Member'],
    ]);
  });
});

describe('a user who may belong to several organizations', () => {
  it('founds one beside those that they belong to, as long as there is room', async () => {
    const ada = await consultant(stage, ['Differential', 'readonly'], ['Mechanical', 'member']);
    await ada.open('/account');
    await ada.sees('Another organization');
    await ada.press('Create an organization');
    await ada.submit('Create', { 'Name of the organization': 'Analytical' });
    await ada.sees('You have created Analytical, and are its admin.');

    await ada.find('link', 'Manage Analytical').waitFor();
    expect(await organizationsOf(ada)).toHaveLength(CAP);
    expect(await ada.find('button', 'Create an organization').count()).toBe(0);
  });

  it('joins another by invitation, also as its admin, and then sees that one', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin'], ['Mechanical', 'member']);
    const { id, link } = await invitation(ada.email, 'org_admin');
    await ada.open(link);
    await ada.submit('Join with my account');

    await ada.sees('You are now a member of Tabulating.');
    expect(ada.path).toBe(`/admin/organization?id=${id}`);
    await ada.hasLoaded();
  });

  it('is led to the organization with a new account, too', async () => {
    const { id, link } = await invitation(freshAddress(), 'member');
    const ada = await stage.visitor();
    await ada.open(link);
    await ada.submit('Join', { Password: PASSWORD });

    await ada.page.waitForURL(`${APPLICATION}/o/${id}`);
  });

  it('is told where there is no room for another, led to the account, and once there is, to the organization', async () => {
    const ada = await consultant(
      stage,
      ['Analytical', 'member'],
      ['Differential', 'member'],
      ['Mechanical', 'member'],
    );
    const { id, link } = await invitation(ada.email, 'member');
    ada.expectRefusal('409 /invitations/accept');
    await ada.open(link);
    await ada.submit('Join with my account');
    await ada.sees('You can leave an organization in your account');
    await looksRight(ada, 'invitation-no-room');
    await ada.follow('your account');
    await ada.press('Leave Mechanical');
    await ada.press('Leave');
    await ada.sees('You have left Mechanical.');
    await ada.open(link);
    await ada.submit('Join with my account');

    await ada.page.waitForURL(`${APPLICATION}/o/${id}`);
  });
});

describe('the billing of a user of several organizations', () => {
  it('is chosen: that of each organization, and their own', async () => {
    const charles = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'member']);
    const [analytical, differential] = charles.orgs as [string, string];
    await charles.open('/billing?price_id=price_monthly');
    await charles.sees('Whose subscription?');
    expect(await charles.texts(charles.find('main').getByRole('listitem'))).toEqual([
      'Analytical',
      'Differential',
      'For yourself',
    ]);
    await looksRight(charles, 'billing-choice');
    await charles.follow('Analytical');
    await charles.arrivesAt(`/ui/billing?price_id=price_monthly&org=${analytical}`);
    await charles.sees('Your organization has no subscription.');
    await looksRight(charles, 'billing-chosen');

    const { success_url } = await paid(charles);
    expect(await payers()).toEqual([{ org_id: analytical, user_id: null }]);
    await deliverAll({ app: stage.app, stripe });
    const back = new URL(success_url);
    back.searchParams.set('org', analytical);
    await charles.open(back.href);
    await charles.sees('Active');
    await charles.sees('Thank you.');
    expect(charles.path).toBe(`/ui/billing?org=${analytical}`);
    expect(await charles.find('button', 'Change or cancel').count()).toBe(1);

    await charles.follow('Choose another');
    await charles.follow('Differential');
    await charles.sees('Your organization has no subscription.');
    expect(await charles.text()).not.toContain('Active');
    await charles.open(`/billing?org=${differential}&price_id=price_monthly`);
    await charles.sees('To change or end it, ask an admin');
    await charles.follow('Choose another');
    await charles.follow('For yourself');
    await charles.sees('You have no subscription.');
    expect(await charles.text()).not.toContain('ask an admin');
  });

  it('of their own is where Stripe sends them back to', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'member']);
    await ada.open('/billing?org=none&price_id=price_monthly');
    const { success_url } = await paid(ada);
    expect(await payers()).toContainEqual({ org_id: null, user_id: ada.id });
    await deliverAll({ app: stage.app, stripe });
    await ada.open(success_url);
    await ada.sees('Active');
    await ada.sees('For yourself');

    expect(ada.path).toBe('/ui/billing?org=none');
  });

  it('of an organization of others is not there', async () => {
    const charles = await consultant(stage, ['Analytical', 'member'], ['Differential', 'member']);
    charles.expectRefusal('404 /subscription', '404 /subscription/prices');
    await charles.open(`/billing?org=${await emptyOrg(stage.app, 'Globex')}`);

    await charles.page.getByRole('alert').first().waitFor();
    expect(await charles.text()).not.toMatch(/Globex|For yourself/);
  });
});

/** Who has ever paid, or begun to. */
function payers(): Promise<unknown[]> {
  return stage.app.database.rows('SELECT org_id, user_id FROM billing_customers ORDER BY id');
}

/** What the user pays for at Stripe, which has not sent the browser back yet. */
async function paid(visitor: Visitor) {
  await visitor.page.route('https://checkout.stripe.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: 'Stripe asks for a card' }),
  );
  await visitor.submit('Continue to payment');
  await visitor.sees('Stripe asks for a card');
  const [session] = [...stripe.account.sessions.values()].slice(-1);
  return stripe.account.completeSession(session?.id ?? '');
}

/** The link by which a new organization invites an address, and its id. */
async function invitation(email: string, role: string) {
  const { id, admin } = await foundOrg(stage.app, 'Tabulating');
  await admin.post(`/orgs/${id}/invitations`, { email, role });
  return { id, link: linkIn(await stage.app.mailbox.last(email)) };
}

/** The organizations that the account names, each with what stands below its name. */
async function organizationsOf(visitor: Visitor): Promise<string[][]> {
  const rows = visitor.page.locator('section[aria-labelledby="organization"] li:has(button.danger) .what');
  return (await visitor.texts(rows)).map((text) => text.split(/\n+/));
}
