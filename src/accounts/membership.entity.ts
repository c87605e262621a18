import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { OrgRole } from '../http/role.js';

/**
 * How a membership began: its user founded the organization, accepted an invitation, or was made in it by an admin, or
 * was imported by an operator. Those of versions before 0.2 were migrated.
 */
export type JoinedBy = 'founded' | 'invitation' | 'admin' | 'migrated' | 'import';

/** That a user belongs to an organization, and with which role. */
@Entity('memberships')
@Check('memberships_role_check', `role IN ('readonly', 'member', 'org_admin')`)
@Check('memberships_joined_by_check', `joined_by IN ('founded', 'invitation', 'admin', 'migrated', 'import')`)
@Index(['orgId', 'userId'])
@Index(['role', 'userId'])
@Index('memberships_custom_role_idx', ['orgId', 'roleId'], { where: 'role_id IS NOT NULL' })
@Index('memberships_active_idx', ['userId'], { where: 'suspended_at IS NULL' })
export class Membership {
  @PrimaryColumn('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  @PrimaryColumn('uuid')
  orgId: string;

  /** Members go before their organization, each with an event. */
  @ManyToOne('Org', { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'org_id' })
  org?: object;

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
      foreignKeyConstraintName: 'memberships_custom_role_fkey',
    },
    { name: 'role_id', referencedColumnName: 'id', foreignKeyConstraintName: 'memberships_custom_role_fkey' },
    { name: 'role', referencedColumnName: 'base', foreignKeyConstraintName: 'memberships_custom_role_fkey' },
  ])
  customRole?: object | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  joinedAt: Date;

  @Column('text')
  joinedBy: JoinedBy;

  /** When the user last made a request into the organization, at most a minute behind; null for never. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  enteredAt: Date | null;

  /** Since when the user may not enter the organization; null while they may. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  suspendedAt: Date | null;
}
