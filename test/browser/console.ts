import { randomUUID } from 'node:crypto';
import { giveRole, verified } from '../support/accounts.js';
import { place } from '../support/orgs.js';
import type { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const DAY_MS = 86_400_000;

/** Where the console is. */
export const CONSOLE = 'http://localhost:3000/admin';

/** A system admin who has logged in. */
export async function systemAdmin(
  stage: Stage,
  user = { hasMouse: true },
  timezoneId = 'UTC',
): Promise<Visitor & { id: string; email: string }> {
  const email = await verified(stage.app);
  await giveRole(stage.app.database, email, 'sys_admin');
  const id = await stage.app.database.value('SELECT id FROM users WHERE email = $1', [email]);
  const visitor = await stage.visitor(user, { timezoneId });
  await visitor.logIn(email);
  return Object.assign(visitor, { id, email });
}

/** The address of the admin, and only member, of a new organization. */
export async function orgAdmin({ app }: Stage, name: string): Promise<string> {
  const [email, orgId] = [await verified(app), randomUUID()];
  await app.database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2)', [orgId, name]);
  await place(app.database, email, orgId, 'org_admin');
  return email;
}

/** Has it that a user made another one read only, a day ago. Returns that day in UTC. */
export async function roleChangedYesterday(
  { app }: Stage,
  by: { email: string },
  of: { email: string },
): Promise<string> {
  const yesterday = new Date(Date.now() - DAY_MS);
  await app.database.rows(
    `INSERT INTO audit_events (id, type, actor_id, user_id, chain_id, details, created_at)
     SELECT $1, 'role.changed', a.id, u.id, u.id, '{"from":"member","to":"readonly"}', $2
       FROM users a, users u WHERE a.email = $3 AND u.email = $4`,
    [idAt(yesterday), yesterday, by.email, of.email],
  );
  return yesterday.toISOString().slice(0, 10);
}

/** An id as it is made at a time. */
function idAt(instant: Date): string {
  const hex = instant.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${randomUUID().slice(-12)}`;
}

/** The refusals that the screen of a user gets, who is not there, or not to be seen. */
export function refusalsOfUser(status: number): string[] {
  const paths = ['', '/sessions', '/identities'].map((part) => `/users/{id}${part}`);
  return [...paths, '/audit-events', '/audit-events/days'].map((path) => `${status} ${path}`);
}
