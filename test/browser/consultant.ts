import { uuidv7 } from 'uuidv7';
import { verified } from '../support/accounts.js';
import { foundOrg } from '../support/orgs.js';
import type { TestApp } from '../support/test-app.js';
import type { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** A visitor who has logged in, and the organizations that they belong to. */
export type Consultant = Visitor & { id: string; email: string; orgs: string[] };

/** A user who has logged in, and belongs to new organizations with these names and roles; one that they administer has no others. */
export async function consultant(
  stage: Stage,
  ...memberships: [org: string, role: string][]
): Promise<Consultant> {
  const { app } = stage;
  const email = await verified(app);
  const id = await app.database.value('SELECT id FROM users WHERE email = $1', [email]);
  const orgs: string[] = [];
  for (const [name, role] of memberships) {
    const org = role === 'org_admin' ? await emptyOrg(app, name) : (await foundOrg(app, name)).id;
    await joinAlso(app, id, org, role);
    orgs.push(org);
  }
  const visitor = await stage.visitor();
  await visitor.logIn(email);
  return Object.assign(visitor, { id, email, orgs });
}

/** Makes an organization without members. */
export async function emptyOrg({ database }: TestApp, name: string): Promise<string> {
  const id = uuidv7();
  await database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, name]);
  return id;
}

/** Puts a user into an organization, beside those that they belong to. */
export async function joinAlso(
  { database }: TestApp,
  userId: string,
  orgId: string,
  role: string,
): Promise<void> {
  await database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
    [userId, orgId, role],
  );
}

/** Makes a user an admin of every organization. */
export async function joinAll({ database }: TestApp, userId: string): Promise<void> {
  await database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by)
     SELECT $1, id, 'org_admin', 'invitation' FROM organizations ON CONFLICT DO NOTHING`,
    [userId],
  );
}
