import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { AuthMethod } from '../http/caller.js';

/** The ways to log in that may take a second step. A passkey is both steps. */
export type FirstStep = Exclude<AuthMethod, 'passkey'>;

/** An identity at a provider that is not linked yet. */
export interface NewIdentity {
  issuer: string;
  subject: string;
  /** The address that the provider told. */
  email: string | null;
}

/** A login that lacks its second step. No guard takes it for a session. */
@Entity('pending_logins')
@Check('pending_logins_auth_method_check', `auth_method IN ('password', 'idp', 'email_code')`)
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

  /** What is linked once the second step is done: until then only the mailbox says that it belongs to the user. */
  @Column('jsonb', { nullable: true })
  newIdentity: NewIdentity | null;

  /** That of the user at the first step: once the password has changed, the service refuses this login. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  passwordChangedAt: Date | null;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
