import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsAfter } from '../support/audit.js';
import { callCommand } from '../support/command-line.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const NETWORK = '192.0.2.0/24';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({ SVC_TRUSTED_PROXIES: 'none' });
  org = await foundOrg(app);
  await app.database.rows(
    `UPDATE organizations SET policy_networks = $2, policy_idle_minutes = 30 WHERE id = $1`,
    [org.id, [NETWORK]],
  );
});
afterAll(() => app.close());

const enter = () => org.admin.get(`/orgs/${org.id}`);

const orgPolicy = async (...words: string[]) => {
  const { code, output } = await callCommand(app, ['org-policy', ...words]);
  return { code, output };
};

describe('org-policy', () => {
  it('prints the rules of an organization, and changes none of them', async () => {
    const { code, output } = await orgPolicy(org.id);

    expect(code).toBe(0);
    expect(JSON.parse(output)).toEqual({
      second_factor: false,
      idle_minutes: 30,
      age_minutes: null,
      login_methods: null,
      networks: [NETWORK],
      acting: true,
    });
  });

  it('takes all of them away, so that its admin comes in again; records it, and tells each admin', async () => {
    expect((await enter()).body.code).toBe('OrgPolicyUnmet');

    const events = await eventsAfter(app, async () => {
      expect((await orgPolicy(org.id, '--clear')).code).toBe(0);
      // Nothing is left to take away.
      expect((await orgPolicy(org.id, '--clear')).code).toBe(0);
    });

    expect((await enter()).status).toBe(200);
    expect(events.filter(({ type }) => type !== 'access.refused')).toMatchObject([
      {
        type: 'org.policy_changed',
        actor_id: null,
        org_id: org.id,
        details: { command: 'org-policy', former_idle_minutes: 30, former_networks: NETWORK, networks: null },
      },
    ]);
    const subject = 'Your organization changed its rules for access';
    const told = (await app.mailbox.to(org.admin.email)).filter((mail) => mail.subject === subject);
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringContaining(
        'An operator of Latchkey removed everything that the organization “Analytical”',
      ),
    ]);
    const ofMember = await app.mailbox.to(org.member.email);
    expect(ofMember.map((mail) => mail.subject)).not.toContain(subject);
  });

  it.each([
    ['is none', () => 'initech', 'initech is not the id of an organization.'],
    ['is of no organization', randomUUID, 'No organization has the id'],
  ])('says so where the id %s', async (_, id, text) => {
    expect(await orgPolicy(id(), '--clear')).toMatchObject({
      code: 1,
      output: expect.stringContaining(text),
    });
  });
});
