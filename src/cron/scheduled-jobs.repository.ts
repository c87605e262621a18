import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { type JobName, ScheduledJob } from './scheduled-job.entity.js';

@Injectable()
export class ScheduledJobsRepository {
  constructor(private readonly database: DataSource) {}

  async noteSuccess(name: JobName, tx: Transaction): Promise<void> {
    await tx.query(
      `INSERT INTO scheduled_jobs (name, succeeded_at) VALUES ($1, clock_timestamp())
           ON CONFLICT (name) DO UPDATE SET succeeded_at = EXCLUDED.succeeded_at`,
      [name],
    );
  }

  /** When a job last succeeded. Returns null when it never did. */
  async lastSuccess(name: JobName): Promise<Date | null> {
    const job = await this.database.manager.findOneBy(ScheduledJob, { name });
    return job?.succeededAt ?? null;
  }

  /**
   * Whether a job has not succeeded for so many hours. One that never did is judged from when it was first expected.
   */
  async isLate(name: JobName, hours: number): Promise<boolean> {
    const onTime = await this.database.query(
      `SELECT 1 FROM scheduled_jobs
        WHERE name = $1 AND coalesce(succeeded_at, created_at) > now() - make_interval(hours => $2)`,
      [name, hours],
    );
    return onTime.length === 0;
  }
}
