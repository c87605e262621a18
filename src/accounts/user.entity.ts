import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OwnRole, Role } from '../http/role.js';

/** A person with an account. */
@Entity('users')
@Index('users_email_prefix_idx', ['email'])
@Index(['ownRole', 'id'])
@Index('users_disabled_idx', ['id'], { where: 'disabled_at IS NOT NULL' })
@Check('users_own_role_check', `own_role IN ('readonly', 'member', 'sys_admin')`)
@Index('users_external_id_idx', ['externalId'], { unique: true })
@Check('users_external_id_check', `external_id ~ '^[!-~]{1,128}$'`)
@Check('users_password_check', '(password_hash IS NULL) = (password_changed_at IS NULL)')
export class User {
  @PrimaryColumn('uuid')
  id: string;

  /** The canonical form of the address (see `canonicalAddress`). */
  @Column('text', { unique: true })
  email: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  emailVerifiedAt: Date | null;

  @Column('text', { nullable: true })
  name: string | null;

  /** The language that they are written to in, as a BCP 47 tag; null where none was named. */
  @Column('text', { nullable: true })
  locale: string | null;

  /** Of the IANA database; null where none was named. */
  @Column('text', { nullable: true })
  timeZone: string | null;

  /**
   * The role of the user outside of organizations, and everywhere if that is SYSTEM_ADMIN. READONLY is a restriction by a
   * SYSTEM_ADMIN, which binds within organizations as well; no organization lifts it.
   */
  @Column('text', { default: 'member' })
  ownRole: OwnRole;

  /** Under which id another system knows the user, as an operator set it; null for none. */
  @Column('text', { nullable: true })
  externalId: string | null;

  // Columns of the membership, which the statements of `accounts/` read with each user (see `USERS_IN_ORGS`).

  /** That of a SYSTEM_ADMIN, else that of the membership, else their own. */
  role: Role;
  orgId: string | null;

  /** Read only where a password is compared. */
  @Column('text', { nullable: true, select: false })
  passwordHash?: string | null;

  /** Null while the account has no password. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  passwordChangedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disabledAt: Date | null;

  /** When all devices were forgotten, the owner's own included; from then on each login from a new one is news. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, select: false })
  devicesForgottenAt?: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
