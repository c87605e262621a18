import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How a mail ended: handed over, no longer worth sending, or given up (a dead letter). */
export type Outcome = 'sent' | 'expired' | 'dead';

/** A mail that was promised, and what became of it. */
@Entity('outbox_mails')
@Check('outbox_mails_outcome_check', `outcome IN ('sent', 'expired', 'dead')`)
@Index(['recipient', 'id'])
@Index('outbox_mails_unsent_idx', ['outcome', 'id'], { where: "outcome <> 'sent'" })
@Index('outbox_mails_waiting_idx', ['id'], { where: 'finished_at IS NULL' })
export class OutboxMail {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  kind: string;

  @Column('text')
  recipient: string;

  @Column('text')
  subject: string;

  /** The tag of the language that it is written in. */
  @Column('text', { default: 'en' })
  language: string;

  /** Text and HTML, encrypted, because a link in them opens an account; null once they will never be sent again. */
  @Column({ type: 'bytea', nullable: true, select: false })
  content?: Buffer | null;

  /** How often it was tried, the present attempt included. */
  @Column({ type: 'integer', default: 0 })
  attempts: number;

  @Column({ type: 'text', nullable: true })
  lastError: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  /** When it may be tried next. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  dueAt: Date;

  /** Until then it belongs to the worker that is sending it; after that, a worker that died holds it no longer. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil: Date | null;

  @Index()
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;

  @Column({ type: 'text', nullable: true })
  outcome: Outcome | null;
}
