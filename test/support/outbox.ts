import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** Lets time pass for the mails of a service, and waits until its worker has done what that makes due. */
export async function mailTimePasses(database: TestDatabase, seconds: number): Promise<void> {
  await database.rows(
    `WITH earlier AS (SELECT make_interval(secs => $1) AS by),
          outages AS (UPDATE mail_outages SET paused_until = paused_until - by FROM earlier)
     UPDATE outbox_mails SET due_at = due_at - by, created_at = created_at - by, leased_until = leased_until - by
       FROM earlier WHERE finished_at IS NULL`,
    [seconds],
  );
  await database.rows(`NOTIFY outbox`);
  await workersRest(database);
}

/** Resolves once no mail is under way, and none may be tried at present. */
export function workersRest(database: TestDatabase): Promise<void> {
  return until(async () => !(await database.value(BUSY)));
}

const BUSY = `
  SELECT EXISTS (SELECT FROM link_requests) OR EXISTS (
    SELECT FROM outbox_mails
     WHERE finished_at IS NULL AND (leased_until > now() OR due_at <= now())
       AND (leased_until > now() OR NOT EXISTS (SELECT FROM mail_outages WHERE paused_until > now())))`;
