import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/**
 * An identity that was unlinked or disowned. It would link itself again at its next login, because the provider still
 * gives the address of the account, so the service refuses it until its owner links it on purpose.
 */
@Entity('removed_identities')
export class RemovedIdentity {
  @PrimaryColumn('uuid')
  userId: string;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: Relation<User>;

  /** The provider's issuer. */
  @PrimaryColumn('text')
  provider: string;

  @PrimaryColumn('text')
  subject: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  removedAt: Date;
}
