import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Role } from '../http/role.js';

/** A person with an account. */
@Entity('users')
@Check('users_role_check', `role IN ('readonly', 'member', 'org_admin', 'sys_admin')`)
@Index('users_email_prefix_idx', ['email'])
@Index(['role', 'id'])
@Index(['orgId', 'id'])
@Index('users_disabled_idx', ['id'], { where: 'disabled_at IS NOT NULL' })
@Check('users_own_role_check', `own_role IN ('readonly', 'member')`)
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

  @Column('text')
  role: Role;

  /**
   * The role of the user outside of organizations. READONLY is a restriction by a SYSTEM_ADMIN, which binds within
   * organizations as well; no organization lifts it. The role of a SYSTEM_ADMIN is above both.
   */
  @Column('text', { default: 'member', select: false })
  ownRole?: Role.READONLY | Role.MEMBER;

  @Column('uuid', { nullable: true })
  orgId: string | null;

  @ManyToOne('Org', { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'org_id' })
  org?: object | null;

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
