import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Outcome } from '../queues/leased-queue.repository.js';

/**
 * An audit event that one endpoint is sent, and what became of that. It holds ids only: what is sent is read when it is
 * sent. It refers to the event by no foreign key, because the audit log is pruned by itself.
 */
@Entity('webhook_deliveries')
@Check('webhook_deliveries_outcome_check', `outcome IN ('sent', 'skipped', 'expired', 'dead')`)
@Unique(['endpoint', 'eventId'])
@Index('webhook_deliveries_waiting_idx', ['endpoint', 'id'], { where: 'finished_at IS NULL' })
@Index('webhook_deliveries_dead_idx', ['endpoint', 'id'], { where: "outcome = 'dead'" })
export class EventDelivery {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  eventId: string;

  /** The name of the endpoint in `SVC_WEBHOOKS`. */
  @Column('text')
  endpoint: string;

  /** How often it was tried, the present attempt included. */
  @Column({ type: 'integer', default: 0 })
  attempts: number;

  @Column({ type: 'text', nullable: true })
  lastError: string | null;

  /** When it was written, or an operator put it back among those that wait. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** When it may be tried next. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  dueAt: Date;

  /** Until then it belongs to the worker that is sending it; after that, a worker that died holds it no longer. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil: Date | null;

  @Index()
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;

  /** It is skipped where its type is not sent, and expired where its event was pruned before. */
  @Column({ type: 'text', nullable: true })
  outcome: Outcome | null;
}
