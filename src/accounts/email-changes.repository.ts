import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { isHeldSql } from './held-addresses.repository.js';
import { UNDOABLE_HOURS } from './users.repository.js';

/** The addresses that accounts had until lately. */
@Injectable()
export class EmailChangesRepository {
  /**
   * Remembers the address an account had. Going back to an earlier one undoes the changes that came after it, but none
   * before it; the address that was left by that is none to bring the account back to.
   */
  async remember(userId: string, oldEmail: string, newEmail: string, tx: Transaction): Promise<void> {
    await tx.query(
      `WITH undone AS (
         UPDATE email_changes SET undone_at = now()
          WHERE user_id = $2 AND undone_at IS NULL AND expires_at >= (
                SELECT min(expires_at) FROM email_changes
                 WHERE user_id = $2 AND old_email = $4 AND undone_at IS NULL AND expires_at > now())
         RETURNING id
       )
       INSERT INTO email_changes (id, user_id, old_email, expires_at, undone_at)
       VALUES ($1, $2, $3, now() + make_interval(hours => $5),
               CASE WHEN EXISTS (SELECT FROM undone) THEN now() END)`,
      [uuidv7(), userId, oldEmail, newEmail, UNDOABLE_HOURS],
    );
  }

  /**
   * Whether an address is held for another account. Asked once the user has the address: that waited for a change of
   * address under way, which only a later statement sees.
   */
  async isHeldForAnother(userId: string, email: string, tx: Transaction): Promise<boolean> {
    const [{ isHeld }] = await tx.query(`SELECT ${isHeldSql('$1', '$2::uuid')} AS "isHeld"`, [email, userId]);
    return isHeld;
  }

  /** The addresses an account has had lately, and whether it can still be brought back to one of them. */
  async findOf(userId: string, tx: Transaction): Promise<{ addresses: string[]; isUndoable: boolean }> {
    const [found] = await tx.query(
      `SELECT coalesce(array_agg(DISTINCT old_email), '{}') AS addresses,
              count(*) FILTER (WHERE undone_at IS NULL) > 0 AS "isUndoable"
         FROM email_changes WHERE user_id = $1 AND expires_at > now()`,
      [userId],
    );
    return found;
  }
}
