import { randomUUID } from 'node:crypto';
import { verified } from '../support/accounts.js';
import type { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** Where the console is. */
export const CONSOLE = 'http://localhost:3000/admin';

/** A system admin who has logged in. */
export async function systemAdmin(
  stage: Stage,
  user = { hasMouse: true },
): Promise<Visitor & { id: string; email: string }> {
  const email = await verified(stage.app);
  const sql = "UPDATE users SET role = 'sys_admin' WHERE email = $1 RETURNING id";
  const id = await stage.app.database.value(sql, [email]);
  const visitor = await stage.visitor(user, { timezoneId: 'UTC' });
  await visitor.logIn(email);
  return Object.assign(visitor, { id, email });
}

/** The address of the admin, and only member, of a new organization. */
export async function orgAdmin({ app }: Stage, name: string): Promise<string> {
  const [email, orgId] = [await verified(app), randomUUID()];
  await app.database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2)', [orgId, name]);
  await app.database.rows("UPDATE users SET org_id = $1, role = 'org_admin' WHERE email = $2", [
    orgId,
    email,
  ]);
  return email;
}
