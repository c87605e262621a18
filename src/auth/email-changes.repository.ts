import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { UNDOABLE_HOURS } from '../users/users.repository.js';

/** The addresses that accounts had until lately. */
@Injectable()
export class EmailChangesRepository {
  /** Remembers the address an account had, unless it went back to an earlier one, which undoes what came after. */
  async remember(userId: string, oldEmail: string, newEmail: string, manager: EntityManager): Promise<void> {
    if (await this.forgetFrom(userId, newEmail, manager)) return;
    await manager.query(
      `INSERT INTO email_changes (id, user_id, old_email, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(hours => $4))`,
      [uuidv7(), userId, oldEmail, UNDOABLE_HOURS],
    );
  }

  /** Forgets an address and those that came after it, but none before it. Returns whether there were any. */
  async forgetFrom(userId: string, email: string, manager: EntityManager): Promise<boolean> {
    const [forgotten] = await manager.query<[{ rows: number }]>(
      `WITH gone AS (
         DELETE FROM email_changes
          WHERE user_id = $1 AND expires_at >= (
                SELECT min(expires_at) FROM email_changes
                 WHERE user_id = $1 AND old_email = $2 AND expires_at > now())
         RETURNING id
       )
       SELECT count(*)::int AS rows FROM gone`,
      [userId, email],
    );
    return forgotten.rows > 0;
  }
}
