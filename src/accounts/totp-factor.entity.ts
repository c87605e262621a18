import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** The secret that a user shares with an authenticator app (RFC 6238); an account has one at most. */
@Entity('totp_factors')
export class TotpFactor {
  @PrimaryColumn('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  /** Encrypted with a key that the database does not have. */
  @Column('bytea')
  secret: Buffer;

  /** The time step of the code that was used last; only a later one is taken. */
  @Column('bigint', { default: 0 })
  lastStep: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** When the user proved to have the secret, by a code. Until then it counts nowhere. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  confirmedAt: Date | null;
}
