import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { lowestIdSince } from '../audit/audit-events.repository.js';
import { BATCH, QueueLedgerRepository, type QueueState } from '../queues/queue-ledger.repository.js';
import { DELIVERIES } from './deliveries.js';

/** What an operator may know of a delivery. */
export interface DeliverySummary {
  id: string;
  eventId: string;
  endpoint: string;
  /** The type of the event; null once that is pruned. */
  type: string | null;
  state: QueueState;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
  dueAt: Date;
  finishedAt: Date | null;
}

/** The deliveries as an operator sees them: a list may be of one endpoint. */
@Injectable()
export class DeliveryLedgerRepository extends QueueLedgerRepository<DeliverySummary> {
  constructor(database: DataSource) {
    super(database, DELIVERIES, {
      summary: `id, event_id AS "eventId", endpoint, (SELECT type FROM audit_events e WHERE e.id = event_id) AS type,
                coalesce(outcome, 'waiting') AS state, attempts, last_error AS "lastError", created_at AS "createdAt",
                due_at AS "dueAt", finished_at AS "finishedAt"`,
      filter: 'endpoint',
    });
  }

  /**
   * Sends an endpoint the events of some types since an instant, also those that it was sent already. Returns how many
   * there are, without those that wait already.
   */
  async replay(endpoint: string, since: Date, types: string[]): Promise<number> {
    let replayed = 0;
    for (const type of types) replayed += await this.replayType(endpoint, since, type);
    return replayed;
  }

  private async replayType(endpoint: string, since: Date, type: string): Promise<number> {
    let [replayed, after] = [0, lowestIdSince(since)];
    for (;;) {
      const ids = await this.eventsAfter(after, since, type);
      replayed += await this.sendAgain(endpoint, ids);
      const last = ids[BATCH - 1];
      if (last === undefined) return replayed;
      after = last;
    }
  }

  /**
   * The next events of a type, in the order of the index of type and id. PostgreSQL does not learn the type before it
   * plans, and has no other index to walk along: by id alone it would, to find a type that it takes for common, and read
   * all events when that type is long over.
   */
  private async eventsAfter(after: string, since: Date, type: string): Promise<string[]> {
    const events = await this.database.query<{ id: string }[]>(
      `SELECT event.id
         FROM unnest(ARRAY[$3::text]) AS wanted (type)
              CROSS JOIN LATERAL (
                SELECT e.id FROM audit_events e
                 WHERE (e.type, e.id) > (wanted.type, $1::uuid) AND e.type <= wanted.type AND e.created_at >= $2
                 ORDER BY e.type, e.id LIMIT ${BATCH}
              ) AS event`,
      [after, since, type],
    );
    return events.map(({ id }) => id);
  }

  private async sendAgain(endpoint: string, eventIds: string[]): Promise<number> {
    const [replayed] = await this.database.query<[{ count: number }]>(
      `WITH replayed AS (
         INSERT INTO webhook_deliveries AS d (id, event_id, endpoint)
         SELECT *, $3 FROM unnest($1::uuid[], $2::uuid[])
         ON CONFLICT (endpoint, event_id) DO UPDATE
            SET finished_at = NULL, outcome = NULL, attempts = 0, due_at = now(), created_at = now()
          WHERE d.finished_at IS NOT NULL
         RETURNING pg_notify('${DELIVERIES.channel}', '')
       )
       SELECT count(*)::int AS count FROM replayed`,
      [eventIds.map(() => uuidv7()), eventIds, endpoint],
    );
    return replayed.count;
  }

  /** Deletes what waits for an endpoint, and returns how much that was. */
  async forget(endpoint: string): Promise<number> {
    await this.database.query('DELETE FROM webhook_outages WHERE endpoint = $1', [endpoint]);
    let forgotten = 0;
    for (;;) {
      const [, deleted] = await this.database.query<[unknown, number]>(
        `DELETE FROM webhook_deliveries WHERE id IN (
           SELECT id FROM webhook_deliveries WHERE endpoint = $1 AND finished_at IS NULL LIMIT ${BATCH})`,
        [endpoint],
      );
      forgotten += deleted;
      if (deleted < BATCH) return forgotten;
    }
  }
}
