import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation, Unique } from 'typeorm';
import type { CustomRoleBase } from '../http/role.js';
import { Org } from './org.entity.js';

/**
 * A role that an organization composed of the product's permissions. It is found by organization and id together, so that
 * no statement can find one of another organization. No two of an organization have one name, in upper or lower case.
 */
@Entity('org_roles')
@Check('org_roles_base_check', `base IN ('readonly', 'member')`)
@Unique(['orgId', 'id', 'base'])
export class CustomRole {
  @PrimaryColumn('uuid')
  orgId: string;

  @ManyToOne(() => Org, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id' })
  org?: Relation<Org>;

  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  /** Its place in the order of the roles, which never changes. */
  @Column('text')
  base: CustomRoleBase;

  /** As they were given; only those that are declared count. */
  @Column('text', { array: true })
  permissions: string[];

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  changedAt: Date;
}

/** A custom role, as what has it shows it. */
export type NamedRole = Pick<CustomRole, 'id' | 'name'>;
