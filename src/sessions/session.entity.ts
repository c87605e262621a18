import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** How a session was started. */
export type AuthMethod = 'password' | 'idp';

/** A login of a user in one browser. It is active until it expires or is invalidated. */
@Entity('sessions')
@Check('sessions_auth_method_check', `auth_method IN ('password', 'idp')`)
@Index(['userId', 'id'])
export class Session {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  /** SHA-256 of the token in the cookie. */
  @Column('bytea', { unique: true, select: false })
  tokenHash?: Buffer;

  @Column('text')
  authMethod: AuthMethod;

  @Column('inet', { nullable: true })
  ip: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** At most a minute behind the last request. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastSeenAt: Date;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  invalidatedAt: Date | null;
}
