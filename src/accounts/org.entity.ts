import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AuthMethod } from '../http/caller.js';

/** A customer of a business product; its users see one another and nothing of anyone else. */
@Entity('organizations')
@Index('organizations_external_id_idx', ['externalId'], { unique: true })
@Check('organizations_external_id_check', `external_id ~ '^[!-~]{1,128}$'`)
@Check('organizations_policy_idle_minutes_check', 'policy_idle_minutes BETWEEN 5 AND 43200')
@Check('organizations_policy_age_minutes_check', 'policy_age_minutes BETWEEN 15 AND 43200')
export class Org {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  /** The language in which it writes to those of whom nothing is known, as a BCP 47 tag; null where none was named. */
  @Column('text', { nullable: true })
  locale: string | null;

  /** Under which id another system knows it, as an operator set it; null for none. */
  @Column('text', { nullable: true })
  externalId: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** Since when its members must have a second factor; null when they need not. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  secondFactorRequiredAt: Date | null;

  /** What else it asks of the sessions that enter it, as `OrgPolicy` says; null for what it does not ask for. */
  @Column('integer', { nullable: true })
  policyIdleMinutes: number | null;

  @Column('integer', { nullable: true })
  policyAgeMinutes: number | null;

  @Column('text', { nullable: true, array: true })
  policyLoginMethods: AuthMethod[] | null;

  @Column('cidr', { nullable: true, array: true })
  policyNetworks: string[] | null;

  /** Whether SYSTEM_ADMINs may act in it for its members. */
  @Column('boolean', { default: true })
  policyActing: boolean;
}
