import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/**
 * An address that an account had, and can be brought back to until this expires or is undone. No other account gets it
 * before.
 */
@Entity('email_changes')
export class EmailChange {
  @PrimaryColumn('uuid')
  id: string;

  @Index()
  @Column('uuid')
  userId: string;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: Relation<User>;

  @Index()
  @Column('text')
  oldEmail: string;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  /** When the account went back to this address or to an earlier one. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  undoneAt: Date | null;
}
