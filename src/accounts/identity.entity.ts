import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation, Unique } from 'typeorm';
import { User } from './user.entity.js';

/** A user's account at an identity provider. It is known by its subject: addresses change hands, subjects do not. */
@Entity('identities')
@Unique(['provider', 'subject'])
@Unique(['userId', 'provider'])
export class Identity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  userId: string;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: Relation<User>;

  /** The provider's issuer. */
  @Column('text')
  provider: string;

  @Column('text')
  subject: string;

  /** The address the provider told when the identity was linked. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
