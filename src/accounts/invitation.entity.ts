import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { OrgRole } from '../http/role.js';
import { Org } from './org.entity.js';
import { User } from './user.entity.js';

export const INVITATION_STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** An invitation and what has become of it, by the database's clock. */
export type JudgedInvitation = Invitation & { status: InvitationStatus };

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
