import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** That a session has entered an organization, which is recorded once. Neither of them keeps the row: it expires with the session. */
@Entity('org_entries')
export class OrgEntry {
  @PrimaryColumn('uuid')
  sessionId: string;

  @PrimaryColumn('uuid')
  orgId: string;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
