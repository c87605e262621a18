import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/**
 * Changes the mails of a service. Its workers, who change several of them in one statement too, wait meanwhile: otherwise
 * each could hold a mail that the other wants.
 */
export async function changeMails(database: TestDatabase, sql: string): Promise<void> {
  await database.rows(`LOCK TABLE link_requests, mail_outages, outbox_mails IN EXCLUSIVE MODE; ${sql}`);
}

/** Forgets every mail, those asked for included. */
export function forgetMails(database: TestDatabase): Promise<void> {
  return changeMails(
    database,
    'DELETE FROM link_requests; DELETE FROM mail_outages; DELETE FROM outbox_mails',
  );
}

/** Lets time pass for the mails of a service, and waits until its worker has tried all that may be tried now. */
export async function mailTimePasses(database: TestDatabase, seconds: number): Promise<void> {
  const by = `interval '${seconds} seconds'`;
  await changeMails(
    database,
    `UPDATE mail_outages SET paused_until = paused_until - ${by};
     UPDATE outbox_mails SET due_at = due_at - ${by}, created_at = created_at - ${by}, leased_until = leased_until - ${by}
      WHERE finished_at IS NULL`,
  );
  await database.rows(`NOTIFY outbox`);
  await workersRest(database);
}

/** Resolves once no mail is under way, and none may be tried at present. */
export function workersRest(database: TestDatabase, patienceMs?: number): Promise<void> {
  return until(async () => !(await database.value(BUSY)), patienceMs);
}

const BUSY = `
  SELECT EXISTS (SELECT FROM link_requests) OR EXISTS (
    SELECT FROM outbox_mails
     WHERE finished_at IS NULL AND (leased_until > now() OR due_at <= now())
       AND (leased_until > now() OR NOT EXISTS (SELECT FROM mail_outages WHERE paused_until > now())))`;
