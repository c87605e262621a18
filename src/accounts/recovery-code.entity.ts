import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A code that stands in for a second factor once. */
@Entity('recovery_codes')
export class RecoveryCode {
  @PrimaryColumn('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  /** SHA-256 of the code. */
  @PrimaryColumn('bytea')
  codeHash: Buffer;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** When the user said that they keep the codes of this set somewhere; null when they have not. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  keptAt: Date | null;
}
