import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuditEvent } from './audit-event.entity.js';
import { CHAIN_START } from './audit-hash.js';
import type { Transaction } from './transactions.js';

/** Events of a chain that are read at once. */
const BATCH = 1_000;

/** What an event says, as PostgreSQL writes it. */
const EVENT_TEXT = `jsonb_build_array(e.id, e.type, e.actor_id, e.user_id, e.org_id, e.ip, e.user_agent, e.details,
  extract(epoch FROM e.created_at), e.chain_id, e.chain_position)::text`;

/** An event's place in a chain, and its hash there. */
export interface Link {
  id: string;
  chainId: string;
  position: number;
  hash: Buffer;
}

/** An event linked to the one before it. */
export interface LinkedEvent extends Omit<Link, 'hash'> {
  text: string;
  /** Null only when it was taken away: the service writes it with the place. */
  hash: Buffer | null;
  /** Null until a rotation of the secret needs it. */
  seal: Buffer | null;
}

/** An event at its place in a chain, before it has a hash. */
export type PlacedEvent = Omit<LinkedEvent, 'hash' | 'seal'> &
  Omit<AuditEvent, 'chainPosition' | 'chainHash' | 'chainSeal'>;

/** A chain, from what was pruned of it to its end. */
export interface Chain {
  id: string;
  position: number;
  hash: Buffer;
  prunedPosition: number;
  prunedHash: Buffer;
}

/** A transaction that only reads, or none. */
export type Reader = Pick<EntityManager, 'query'>;

/** The chains of the audit events, and the places of the events in them. */
@Injectable()
export class AuditChainsRepository {
  constructor(private readonly database: DataSource) {}

  /** Gives the oldest events that have no place in their chain the next ones, and returns them in that order. */
  async placeOldest(limit: number, tx: Transaction): Promise<PlacedEvent[]> {
    return tx.query(
      `WITH oldest AS (
         SELECT id, chain_id FROM audit_events WHERE chain_position IS NULL ORDER BY id LIMIT $1
       ), places AS (
         SELECT o.id, coalesce(c.position, 0) + row_number() OVER (PARTITION BY o.chain_id ORDER BY o.id) AS place
           FROM oldest o LEFT JOIN audit_chains c ON c.id = o.chain_id
       ), e AS (
         UPDATE audit_events ev SET chain_position = places.place
           FROM places WHERE ev.id = places.id RETURNING ev.*
       )
       SELECT e.id, e.type, e.actor_id AS "actorId", e.user_id AS "userId", e.org_id AS "orgId", e.ip,
              e.user_agent AS "userAgent", e.details, e.created_at AS "createdAt", e.chain_id AS "chainId",
              e.chain_position::int AS position, ${EVENT_TEXT} AS text
         FROM e ORDER BY e.chain_id, e.chain_position`,
      [limit],
    );
  }

  /** The last hash of each of some chains. */
  async headHashes(ids: string[], tx: Transaction): Promise<Map<string, Buffer>> {
    const heads: { id: string; hash: Buffer }[] = await tx.query(
      'SELECT id, hash FROM audit_chains WHERE id = ANY($1)',
      [ids],
    );
    return new Map(heads.map(({ id, hash }) => [id, hash]));
  }

  async saveLinks(links: Link[], tx: Transaction): Promise<void> {
    if (links.length === 0) return;
    const columns = [
      links.map(({ id }) => id),
      links.map(({ chainId }) => chainId),
      links.map(({ position }) => position),
      links.map(({ hash }) => hash),
    ];
    await tx.query(
      `WITH links AS (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[]) AS l (id, chain_id, position, hash)
       ), linked AS (
         UPDATE audit_events e SET chain_hash = links.hash FROM links WHERE e.id = links.id
       )
       INSERT INTO audit_chains (id, position, hash, pruned_hash)
       SELECT DISTINCT ON (chain_id) chain_id, position, hash, $5::bytea FROM links ORDER BY chain_id, position DESC
       ON CONFLICT (id) DO UPDATE SET position = excluded.position, hash = excluded.hash`,
      [...columns, CHAIN_START],
    );
  }

  findAll(tx: Reader = this.database): Promise<Chain[]> {
    return tx.query(
      `SELECT id, position::int, hash, pruned_position::int AS "prunedPosition", pruned_hash AS "prunedHash"
         FROM audit_chains ORDER BY id`,
    );
  }

  /** Notes the seals of events. */
  async saveSeals(seals: { id: string; seal: Buffer }[]): Promise<void> {
    if (seals.length === 0) return;
    await this.database.query(
      `UPDATE audit_events e SET chain_seal = s.seal
         FROM unnest($1::uuid[], $2::bytea[]) AS s (id, seal) WHERE e.id = s.id`,
      [seals.map(({ id }) => id), seals.map(({ seal }) => seal)],
    );
  }

  /** The events of a chain beyond a place, in order and in batches. */
  async *batchesAfter(chainId: string, position: number, tx: Reader): AsyncGenerator<LinkedEvent[]> {
    let after = position;
    for (;;) {
      const batch = await this.linkedAfter(chainId, after, tx);
      yield batch;
      const last = batch.at(-1);
      if (!last || batch.length < BATCH) return;
      after = last.position;
    }
  }

  private linkedAfter(chainId: string, position: number, tx: Reader): Promise<LinkedEvent[]> {
    return tx.query(
      `SELECT e.id, e.chain_id AS "chainId", e.chain_position::int AS position, ${EVENT_TEXT} AS text,
              e.chain_hash AS hash, e.chain_seal AS seal
         FROM audit_events e WHERE e.chain_id = $1 AND e.chain_position > $2
        ORDER BY e.chain_position LIMIT $3`,
      [chainId, position, BATCH],
    );
  }

  /**
   * The first event of each chain that has no row, or whose row says that it was pruned. Goes through the index from one
   * chain to the next, because it must not read every event.
   */
  findUnproven(tx: Reader): Promise<Pick<LinkedEvent, 'chainId' | 'position'>[]> {
    return tx.query(
      `WITH RECURSIVE firsts AS (
         (SELECT chain_id, chain_position FROM audit_events
           WHERE chain_position IS NOT NULL ORDER BY chain_id, chain_position LIMIT 1)
         UNION ALL
         SELECT following.* FROM firsts f CROSS JOIN LATERAL (
           SELECT chain_id, chain_position FROM audit_events
            WHERE chain_id > f.chain_id AND chain_position IS NOT NULL ORDER BY chain_id, chain_position LIMIT 1
         ) following
       )
       SELECT chain_id AS "chainId", chain_position::int AS position FROM firsts f
        WHERE NOT EXISTS (
          SELECT FROM audit_chains c WHERE c.id = f.chain_id AND c.pruned_position < f.chain_position
        ) ORDER BY chain_id`,
    );
  }

  /** How many events that have their place in a chain are older than so many days. */
  async countLinkedBefore(days: number): Promise<number> {
    const [found] = await this.database.query(
      `SELECT count(*)::int AS events FROM audit_events
        WHERE chain_position IS NOT NULL AND created_at < now() - make_interval(days => $1)`,
      [days],
    );
    return found.events;
  }

  /**
   * Deletes events from the beginning of a chain, moves the beginning behind them, and returns how many there were.
   * Stops at a missing event: if it were skipped, its loss would never be noticed.
   */
  async pruneOldest(chainId: string, keptDays: number, limit: number): Promise<number> {
    const [pruned] = await this.database.query(
      `WITH oldest AS (
         SELECT e.id, e.chain_position, e.chain_hash,
                e.created_at < now() - make_interval(days => $2) AS is_past,
                e.chain_position = c.pruned_position + row_number() OVER (ORDER BY e.chain_position) AS is_next
           FROM audit_chains c JOIN LATERAL (
             SELECT * FROM audit_events
              WHERE chain_id = c.id AND chain_position > c.pruned_position ORDER BY chain_position LIMIT $3
           ) e ON true
          WHERE c.id = $1
       ), beginning AS (
         SELECT id, chain_position, chain_hash FROM (
           SELECT *, bool_and(is_past AND is_next) OVER (ORDER BY chain_position) AS is_over FROM oldest
         ) judged WHERE is_over
       ), gone AS (
         DELETE FROM audit_events e USING beginning b WHERE e.id = b.id
       ), moved AS (
         UPDATE audit_chains c SET pruned_position = last.chain_position, pruned_hash = last.chain_hash
           FROM (SELECT * FROM beginning ORDER BY chain_position DESC LIMIT 1) last WHERE c.id = $1
       )
       SELECT count(*)::int AS rows FROM beginning`,
      [chainId, keptDays, limit],
    );
    return pruned.rows;
  }
}
