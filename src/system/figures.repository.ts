import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idAt } from '../audit/audit-events.repository.js';
import type { AuditType } from '../audit/audit-types.js';
import { boundsOf, type Day } from '../audit/days.js';

/** The types of audit events that are counted, in the order of the columns. */
const TYPES: AuditType[] = ['account.created', 'login.succeeded', 'login.failed'];

export interface DailyCounts {
  day: Day;
  newUsers: number;
  logins: number;
  failedLogins: number;
}

/** How many users had a session in use in the days before an instant. */
export interface ActiveUsers {
  inSevenDays: number;
  inThirtyDays: number;
  countedAt: Date;
}

/** What happened each day. A day that is over is counted once: among ten million events that takes too long to repeat. */
@Injectable()
export class FiguresRepository {
  constructor(private readonly database: DataSource) {}

  async countUsers(): Promise<number> {
    const [{ users }] = await this.database.query('SELECT count(*)::int AS users FROM users');
    return users;
  }

  /** The days that were counted, from a day on. */
  findCounted(since: Day): Promise<DailyCounts[]> {
    return this.database.query(
      `SELECT day::text, new_users AS "newUsers", logins, failed_logins AS "failedLogins"
         FROM daily_figures WHERE day >= $1`,
      [since],
    );
  }

  /** Counts the events of each of some days. An id begins with its time, so that the index of types and ids is enough. */
  async count(days: Day[]): Promise<DailyCounts[]> {
    const rows = await this.database.query<{ day: Day; counts: number[] }[]>(
      `SELECT day, ARRAY(
                SELECT (SELECT count(*)::int FROM audit_events e
                         WHERE e.type = asked.type AND e.id >= since AND e.id < until)
                  FROM unnest($4::text[]) WITH ORDINALITY AS asked (type, place) ORDER BY place) AS counts
         FROM unnest($1::text[], $2::uuid[], $3::uuid[]) AS d (day, since, until)`,
      [
        days,
        days.map((day) => idAt(boundsOf(day).startsAt)),
        days.map((day) => idAt(boundsOf(day).endsAt)),
        TYPES,
      ],
    );
    return rows.map(({ day, counts: [newUsers = 0, logins = 0, failedLogins = 0] }) => ({
      day,
      newUsers,
      logins,
      failedLogins,
    }));
  }

  /** Two replicas that keep a day at once have counted the same. */
  async keep(days: DailyCounts[]): Promise<void> {
    await this.database.query(
      `INSERT INTO daily_figures (day, new_users, logins, failed_logins)
       SELECT * FROM unnest($1::date[], $2::int[], $3::int[], $4::int[])
       ON CONFLICT (day) DO NOTHING`,
      [
        days.map(({ day }) => day),
        days.map(({ newUsers }) => newUsers),
        days.map(({ logins }) => logins),
        days.map(({ failedLogins }) => failedLogins),
      ],
    );
  }

  async findActiveUsers(): Promise<ActiveUsers | null> {
    const [active = null] = await this.database.query(
      `SELECT in_seven_days AS "inSevenDays", in_thirty_days AS "inThirtyDays", counted_at AS "countedAt" FROM active_users`,
    );
    return active;
  }

  async countActiveUsers(): Promise<void> {
    await this.database.query(
      `INSERT INTO active_users (in_seven_days, in_thirty_days, counted_at)
       SELECT count(*) FILTER (WHERE last_seen_at > now() - interval '7 days'), count(*), now()
         FROM (SELECT max(last_seen_at) AS last_seen_at FROM sessions
                WHERE last_seen_at > now() - interval '30 days' GROUP BY user_id) AS seen
       ON CONFLICT (only_row) DO UPDATE SET in_seven_days = excluded.in_seven_days,
         in_thirty_days = excluded.in_thirty_days, counted_at = excluded.counted_at`,
    );
  }
}
