import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { AuthMethod } from './session.entity.js';

/** How a login begins that may need a second step; a passkey needs none. */
export type FirstStep = Exclude<AuthMethod, 'passkey'>;

/** A login that lacks its second step. No guard takes it for a session. */
@Entity('pending_logins')
@Check('pending_logins_auth_method_check', `auth_method IN ('password', 'idp')`)
export class PendingLogin {
  /** SHA-256 of the token in the cookie. */
  @PrimaryColumn('bytea')
  tokenHash: Buffer;

  @Index()
  @Column('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  @Column('text')
  authMethod: FirstStep;

  /** As it was at the first step. With another password the login is refused. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  passwordChangedAt: Date | null;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
