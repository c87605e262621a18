import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AuditType } from './audit-types.js';

/**
 * An act of a user, a client or the service that may matter later. It outlives the users and organizations it names.
 */
@Entity('audit_events')
@Index(['actorId', 'id'])
@Index(['userId', 'id'])
@Index(['orgId', 'id'])
@Index(['type', 'id'])
@Index('audit_events_chain_idx', ['chainId', 'chainPosition'], { unique: true })
@Index('audit_events_unchained_idx', ['id'], { where: 'chain_position IS NULL' })
export class AuditEvent {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  type: AuditType;

  /** The user who did it; null when none had logged in. */
  @Column('uuid', { nullable: true })
  actorId: string | null;

  /** Whose account it is about. */
  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The organization it happened in. */
  @Column('uuid', { nullable: true })
  orgId: string | null;

  @Column('text', { nullable: true })
  ip: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  /** What else there is to know, never a secret. */
  @Column('jsonb', { default: {} })
  details: Record<string, unknown>;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** The chain it is a link of: one for each organization, and one for what belongs to none. */
  @Column('uuid', { select: false })
  chainId: string;

  /** Its place in the chain, from 1; null until it is linked, some seconds later. */
  @Column('bigint', { nullable: true, select: false })
  chainPosition: string | null;

  /** HMAC of the event and of the hash before it. */
  @Column('bytea', { nullable: true, select: false })
  chainHash: Buffer | null;

  /** HMAC of the event and of its hash, under a later secret than the one that linked it; null where none is needed. */
  @Column('bytea', { nullable: true, select: false })
  chainSeal: Buffer | null;
}
