import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { OrgRole } from '../http/role.js';
import type { NamedRole } from './custom-role.entity.js';
import { Org } from './org.entity.js';
import { User } from './user.entity.js';

export const INVITATION_STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** An invitation and what has become of it, by the database's clock. */
export type JudgedInvitation = Omit<Invitation, 'customRole'> & {
  status: InvitationStatus;
  customRole: NamedRole | null;
};

/**
 * An offer to join an organization with a role, mailed to an address. It is pending until accepted, revoked or
 * expired.
 */
@Entity('invitations')
@Check('invitations_role_check', `role IN ('readonly', 'member', 'org_admin')`)
@Index('invitations_pending_key', ['orgId', 'email'], {
  unique: true,
  where: 'accepted_at IS NULL AND revoked_at IS NULL',
})
@Index('invitations_custom_role_idx', ['orgId', 'roleId'], { where: 'role_id IS NOT NULL' })
export class Invitation {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  @ManyToOne(() => Org, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id' })
  org?: Relation<Org>;

  @Column('text')
  email: string;

  @Column('text')
  role: OrgRole;

  /** The role that the organization composed, in place of the built-in one of its base; null for none. */
  @Column('uuid', { nullable: true })
  roleId: string | null;

  @ManyToOne('CustomRole')
  @JoinColumn([
    {
      name: 'org_id',
      referencedColumnName: 'orgId',
      foreignKeyConstraintName: 'invitations_custom_role_fkey',
    },
    { name: 'role_id', referencedColumnName: 'id', foreignKeyConstraintName: 'invitations_custom_role_fkey' },
    { name: 'role', referencedColumnName: 'base', foreignKeyConstraintName: 'invitations_custom_role_fkey' },
  ])
  customRole?: object | null;

  /** The language that its inviter asked for, as a BCP 47 tag; null where none was named. */
  @Column('text', { nullable: true })
  locale: string | null;

  /** SHA-256 of the token in the link. */
  @Column('bytea', { unique: true, select: false })
  tokenHash?: Buffer;

  /** Null once the inviting user is gone. */
  @Column('uuid', { nullable: true })
  invitedBy: string | null;

  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'invited_by' })
  inviter?: Relation<User> | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;

  /** When its address turned it down, which revokes it too. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  declinedAt: Date | null;
}
