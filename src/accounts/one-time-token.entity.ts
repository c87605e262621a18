import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** What a mailed secret allows. */
export type Purpose = 'reset-password' | 'change-email' | 'secure-account' | 'login' | 'step-up';

/** A secret mailed to an address, good for one use until it expires. */
@Entity('one_time_tokens')
@Check(
  'one_time_tokens_purpose_check',
  `purpose IN ('reset-password', 'change-email', 'secure-account', 'login', 'step-up')`,
)
@Index(['userId', 'purpose'])
export class OneTimeToken {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  @Column('text')
  purpose: Purpose;

  /** SHA-256 of the token in the link. */
  @Column('bytea', { unique: true, select: false })
  tokenHash?: Buffer;

  /** The address it was mailed to: the one to change to, or the user's own, whose change voids it. */
  @Column('text')
  sentTo: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  consumedAt: Date | null;
}
