import { DataSource } from 'typeorm';
import { withService } from './with-service.js';

/** What the backup takes for valid though it may have ended since, and what it would do a second time. */
const ENDINGS = {
  'sessions ended': 'UPDATE sessions SET invalidated_at = now() WHERE invalidated_at IS NULL RETURNING id',
  'links made useless':
    'UPDATE one_time_tokens SET consumed_at = now() WHERE consumed_at IS NULL RETURNING id',
  'pending signups deleted': 'DELETE FROM signups RETURNING id',
  'invitations revoked':
    'UPDATE invitations SET revoked_at = now() WHERE accepted_at IS NULL AND revoked_at IS NULL RETURNING id',
  'waiting mails deleted': 'DELETE FROM outbox_mails WHERE finished_at IS NULL RETURNING id',
  'requests for links deleted': 'DELETE FROM link_requests RETURNING id',
};

/**
 * `after-restore --yes`: makes a database from a backup safe to serve, before the service starts on it. A backup has
 * sessions that have ended since, links that were used, and mails that were sent.
 */
export async function afterRestore({ yes: isMeant = false }): Promise<void> {
  if (!isMeant)
    throw new Error(
      'This logs every user out, and voids every link, signup and invitation that is pending. If the database was restored from a backup, add --yes.',
    );

  await withService((service) =>
    service.get(DataSource).transaction(async (manager) => {
      for (const [what, statement] of Object.entries(ENDINGS)) {
        const rows = `WITH ended AS (${statement}) SELECT count(*)::int AS count FROM ended`;
        const [{ count }] = await manager.query(rows);
        console.log(`${count} ${what}`);
      }
    }),
  );
}
