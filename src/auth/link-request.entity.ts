import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a link is asked for; whoever signs up again is reminded of the account there is. */
export type RequestedPurpose = 'verify-email' | 'reset-password' | 'sign-up-again';

/** A request to mail a link to an address, whether or not that has an account. */
@Entity('link_requests')
export class LinkRequest {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  purpose: RequestedPurpose;

  @Column('text')
  email: string;

  /** Where it was asked from, for the audit event. */
  @Column('text', { nullable: true })
  ip: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
