import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedUp, verified } from '../support/accounts.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { place } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const ORG_ID = randomUUID();

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.rows('TRUNCATE users, organizations, signups CASCADE');
  await app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Initech')`, [ORG_ID]);
});

/** What the command prints in an app mode. */
const planIn = (mode: 'b2c' | 'b2b') => callCommand(app, ['mode-plan'], { SVC_APP_MODE: mode });

const alter = (email: string, assignment: string) =>
  app.database.rows(`UPDATE users SET ${assignment} WHERE email = $1`, [email]);

async function invite(email: string, state = ''): Promise<void> {
  await app.database.rows(
    `INSERT INTO invitations (id, org_id, email, role, token_hash, created_at, expires_at)
     VALUES (gen_random_uuid(), $1, $2, 'member', sha256($2::text::bytea), '2026-02-01T08:00:00Z', now() + interval '1 day')`,
    [ORG_ID, email],
  );
  if (state) await app.database.rows(`UPDATE invitations SET ${state} WHERE email = $1`, [email]);
}

describe('mode-plan in B2C', () => {
  it('lists the people who could not log in in B2B: users without an organization, and pending signups', async () => {
    const [loner, pending] = [await verified(app), await signedUp(app)];
    await alter(loner, `created_at = '2026-01-31T09:30:00Z'`);
    await app.database.rows(`UPDATE signups SET created_at = '2026-01-31T09:31:00Z' WHERE email = $1`, [
      pending,
    ]);
    await signedUp(app, { email: loner });

    expect(await planIn('b2c')).toMatchObject({
      code: 0,
      lines: [
        'SVC_APP_MODE is b2c; these are the people whom switching it to b2b would affect.',
        'Users without an organization: 1. Pending signups: 1.',
        `  ${loner} belongs to no organization, account since 2026-01-31T09:30:00.000Z`,
        `  ${pending} has not confirmed the address, signed up at 2026-01-31T09:31:00.000Z`,
        'Would be stranded: 2. Invite them to an organization before the switch.',
      ],
    });
  });

  it('leaves out members of an organization, SYSTEM_ADMINs and disabled users', async () => {
    await place(app.database, await verified(app), ORG_ID);
    await alter(await verified(app), `own_role = 'sys_admin'`);
    await alter(await verified(app), 'disabled_at = now()');

    const { code, lines } = await planIn('b2c');

    expect(code).toBe(0);
    expect(lines.slice(1)).toEqual([
      'Users without an organization: 0. Pending signups: 0.',
      'No user would be stranded.',
    ]);
  });

  it('lists more people than fit into a batch, each of them once', async () => {
    await app.database.rows(
      `INSERT INTO users (id, email)
       SELECT gen_random_uuid(), 'user-' || number || '@example.com' FROM generate_series(1, 1500) number`,
    );

    const { lines } = await planIn('b2c');

    const addresses = lines.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
    expect(addresses).toHaveLength(1500);
    expect(new Set(addresses).size).toBe(1500);
    expect(lines.at(-1)).toMatch(/^Would be stranded: 1500\./);
  });

  it('changes nothing', async () => {
    await signedUp(app);
    const before = await app.database.rows('SELECT * FROM users');

    await planIn('b2c');

    expect(await app.database.rows('SELECT * FROM users')).toEqual(before);
  });
});

describe('mode-plan in B2B', () => {
  it('lists the pending invitations, and says that no user is stranded and they keep working', async () => {
    await verified(app);
    await invite('ada@example.com');
    await invite('accepted@example.com', 'accepted_at = now()');
    await invite('revoked@example.com', 'revoked_at = now()');
    await invite('expired@example.com', 'expires_at = now()');

    expect(await runCommand(app, ['mode-plan'], { SVC_APP_MODE: 'b2b' })).toMatchObject({
      code: 0,
      lines: [
        'SVC_APP_MODE is b2b; these are the people whom switching it to b2c would affect.',
        'Pending invitations: 1.',
        '  ada@example.com is invited, since 2026-02-01T08:00:00.000Z',
        'No user would be stranded: every login goes on working, and so do the pending invitations.',
      ],
    });
  });
});

describe('mode-plan where users belong to more organizations than SVC_ORGS_PER_USER', () => {
  it('lists them, who stay in all of them', async () => {
    const [one, two] = [await verified(app), await verified(app)];
    for (const email of [one, two]) await place(app.database, email, ORG_ID);
    await app.database.rows(
      `WITH made AS (INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Umbrella') RETURNING id)
       INSERT INTO memberships (user_id, org_id, role, joined_by)
       SELECT u.id, made.id, 'member', 'invitation' FROM users u, made WHERE u.email = $1`,
      [two],
    );
    const plan = (orgsPerUser: string) => callCommand(app, ['mode-plan'], { SVC_ORGS_PER_USER: orgsPerUser });

    const { lines } = await plan('1');
    expect(lines.slice(-2)).toEqual([
      'Users in more than 1 organizations (SVC_ORGS_PER_USER): 1. They stay in all of them, and can join no other.',
      `  ${two}`,
    ]);
    expect((await plan('2')).lines.join()).not.toContain(two);
  });
});
