import { uuidv7 } from 'uuidv7';
import { type KeyOwner, mintKey } from '../../src/secrets/key-form.js';
import { hashToken } from '../../src/secrets/token.js';
import type { Answer } from './browser.js';
import type { TestApp } from './test-app.js';

export interface TestKey {
  id: string;
  name: string;
  secret: string;
}

/** Puts a key into the database: of an organization, or of the operator. */
export async function keyWith(
  { database }: TestApp,
  permissions: string[],
  {
    orgId = null,
    networks = null,
    perMinute = null,
  }: { orgId?: string | null; networks?: string[] | null; perMinute?: number | null } = {},
): Promise<TestKey> {
  const owner: KeyOwner = orgId === null ? 'svc' : 'org';
  const [id, secret] = [uuidv7(), mintKey('latchkey', owner)];
  const name = `key ${id.slice(-8)}`;
  await database.rows(
    `INSERT INTO keys (id, org_id, name, permissions, networks, per_minute) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, orgId, name, permissions, networks, perMinute],
  );
  await database.rows(`INSERT INTO key_secrets (id, key_id, secret_hash, hint) VALUES ($1, $2, $3, $4)`, [
    uuidv7(),
    id,
    hashToken(secret),
    secret.slice(-4),
  ]);
  return { id, name, secret };
}

/** Sends a request as a program does: without the headers of a browser. */
export function getWith(
  app: TestApp,
  path: string,
  secret?: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const authorization = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  return app.browser({}).get(path, { ...authorization, ...headers });
}

/** What was recorded of the refusals of a key. */
export async function keyRefusalsOf({ database }: TestApp, id: string): Promise<object[]> {
  const rows = await database.rows(
    `SELECT details FROM audit_events WHERE type = 'key.refused' AND details->>'key_id' = $1`,
    [id],
  );
  return rows.map(({ details }) => details);
}
