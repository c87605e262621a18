import { DataSource } from 'typeorm';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

/** Rows of one statement: PostgreSQL cuts off one that takes longer than those of the service may. */
const BATCH = 10_000;

/** What the backup takes for valid though it may have ended since, and what it would do a second time. */
const ENDINGS: Ending[] = [
  {
    what: 'sessions ended',
    table: 'sessions',
    where: 'invalidated_at IS NULL AND expires_at > now()',
    set: 'invalidated_at = now()',
  },
  {
    what: 'links made useless',
    table: 'one_time_tokens',
    where: 'consumed_at IS NULL',
    set: 'consumed_at = now()',
  },
  {
    what: 'secrets of keys of the operator ended',
    table: 'key_secrets',
    where: 'ended_at IS NULL AND key_id IN (SELECT id FROM keys WHERE org_id IS NULL)',
    set: 'ended_at = now()',
  },
  { what: 'pending signups deleted', table: 'signups' },
  {
    what: 'invitations revoked',
    table: 'invitations',
    where: 'accepted_at IS NULL AND revoked_at IS NULL',
    set: 'revoked_at = now()',
  },
  { what: 'waiting mails deleted', table: 'outbox_mails', where: 'finished_at IS NULL' },
  { what: 'waiting deliveries of events deleted', table: 'webhook_deliveries', where: 'finished_at IS NULL' },
  { what: 'requests for links deleted', table: 'link_requests' },
  { what: 'mailed codes deleted', table: 'mailed_codes', key: 'browser_hash' },
  { what: 'logins without their second step deleted', table: 'pending_logins', key: 'token_hash' },
];

/** Rows to change, or to delete where nothing is set. */
interface Ending {
  what: string;
  table: string;
  key?: string;
  where?: string;
  set?: string;
}

/**
 * `after-restore --yes`: makes a database from a backup safe to serve, before the service starts on it. A backup has
 * sessions that have ended since, links that were used, and mails that were sent.
 */
export async function afterRestore(product: Product, { yes: isMeant = false }): Promise<void> {
  if (!isMeant)
    throw new Error(
      'This logs every user out, and voids every link, signup and invitation that is pending. If the database was restored from a backup, add --yes.',
    );

  await withService(product, async (service) => {
    const database = service.get(DataSource);
    for (const ending of ENDINGS) console.log(`${await end(ending, database)} ${ending.what}`);
  });
}

/** Ends rows in batches, and returns how many there were. Says after each batch how far it is. */
async function end(
  { what, table, key = 'id', where = 'true', set }: Ending,
  database: DataSource,
): Promise<number> {
  const rows = `WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${BATCH})`;
  const statement = set === undefined ? `DELETE FROM ${table} ${rows}` : `UPDATE ${table} SET ${set} ${rows}`;
  let ended = 0;
  for (;;) {
    const [, count] = await database.query<[unknown, number]>(statement);
    ended += count;
    if (count < BATCH) return ended;
    console.error(`${ended} ${what}, and more to come`);
  }
}
