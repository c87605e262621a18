import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { SessionMethod } from '../http/caller.js';
import type { SecondFactor } from './factors.js';

/** A login of a user in one browser. It is active until it expires or is invalidated. */
@Entity('sessions')
@Check('sessions_auth_method_check', `auth_method IN ('password', 'idp', 'passkey', 'email_code', 'acting')`)
@Check('sessions_aal_check', 'aal IN (1, 2)')
@Check('sessions_raised_by_check', `raised_by IN ('totp', 'passkey', 'recovery_code')`)
@Index(['userId', 'id'])
@Index('sessions_renewed_idx', ['formerTokenHash'], { where: 'former_token_hash IS NOT NULL' })
@Index('sessions_acting_idx', ['actorId'], { where: 'actor_id IS NOT NULL' })
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

  /** That of the token before, whose requests may still be under way when it is replaced. */
  @Column('bytea', { nullable: true, select: false })
  formerTokenHash?: Buffer | null;

  @Column('text')
  authMethod: SessionMethod;

  /** The authenticator assurance level, as NIST SP 800-63B counts it. */
  @Column('smallint', { default: 1 })
  aal: 1 | 2;

  /** The factor that made the level 2. Null where none did, a strong provider did, or an earlier version did not say. */
  @Column('text', { nullable: true, select: false })
  raisedBy?: SecondFactor | null;

  /** When the user last proved who they are, at the login or by a step-up. Null for a session of an earlier version. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  authenticatedAt: Date | null;

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

  /** Seconds of the longest pause between two sightings since the last proof. */
  @Column('integer', { default: 0, select: false })
  longestIdle?: number;

  /** The ways in which the user has proved who they are beside the one that began it. */
  @Column('text', { array: true, default: [], select: false })
  provenBy?: string[];

  /** The session of the SYSTEM_ADMIN who acts for the user in this one, with which it ends; null where the user acts. */
  @Column('uuid', { nullable: true })
  parentId?: string | null;

  @Column('uuid', { nullable: true })
  actorId?: string | null;

  /** The one organization that the admin may enter; null for none. */
  @Column('uuid', { nullable: true })
  actingOrgId?: string | null;

  /** Whether the admin may do more than read; null where nobody acts. */
  @Column('boolean', { nullable: true })
  actingMayWrite?: boolean | null;
}
