import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../audit/transactions.js';

@Injectable()
export class UsedStatesRepository {
  constructor(private readonly database: DataSource) {}

  /** Remembers that a state was used, for some seconds. Returns false when it was used before. */
  async insert(
    id: string,
    seconds: number,
    { manager }: Pick<Transaction, 'manager'> = this.database,
  ): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      `INSERT INTO used_states (id, expires_at) VALUES ($1, now() + make_interval(secs => $2))
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, seconds],
    );
    return rows.length === 1;
  }

  /** Seconds by the database's clock: a flow may end at another replica than it began at. */
  async now(): Promise<number> {
    const [{ seconds }] = await this.database.query('SELECT extract(epoch FROM now())::int AS seconds');
    return seconds;
  }
}
