import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Org } from './org.entity.js';

/** An invitation that was mailed for an organization; it counts against the limit until it expires, a day later. */
@Entity('invitation_mails')
export class InvitationMail {
  @PrimaryColumn('uuid')
  id: string;

  @Index()
  @Column('uuid')
  orgId: string;

  @ManyToOne(() => Org, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id' })
  org?: Relation<Org>;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
