import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Purpose } from './one-time-token.entity.js';

/** That somebody asked for a link to be mailed to an address, whether or not it has an account. */
@Entity('link_requests')
export class LinkRequest {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  purpose: Purpose;

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
