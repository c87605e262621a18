import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';

/** How long a change of address can be undone. */
const UNDOABLE = '72 hours';

/** The addresses that accounts had until lately. */
@Injectable()
export class EmailChangesRepository {
  async remember(userId: string, oldEmail: string, manager: EntityManager): Promise<void> {
    await manager.query(
      `INSERT INTO email_changes (id, user_id, old_email, expires_at)
       VALUES ($1, $2, $3, now() + interval '${UNDOABLE}')`,
      [uuidv7(), userId, oldEmail],
    );
  }

  async forget(userId: string, manager: EntityManager): Promise<void> {
    await manager.query('DELETE FROM email_changes WHERE user_id = $1', [userId]);
  }
}
