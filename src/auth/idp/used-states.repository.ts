import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The states that came back: each is good once. */
@Injectable()
export class UsedStatesRepository {
  constructor(private readonly database: DataSource) {}

  /** Remembers a state until it has expired anyway. Returns false when it was used before. */
  async insert(id: string, maxAgeSeconds: number): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO used_states (id, expires_at) VALUES ($1, now() + make_interval(secs => $2))
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, maxAgeSeconds],
    );
    return rows.length === 1;
  }

  /** Seconds by the database's clock: a flow may end at another replica than it began at. */
  async now(): Promise<number> {
    const [{ seconds }] = await this.database.query('SELECT extract(epoch FROM now())::int AS seconds');
    return seconds;
  }
}
