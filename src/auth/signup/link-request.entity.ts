import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What a mail is asked for; a person who signs up with an account is reminded of it. The owner of an account is told
 * that it takes no further attempts to log in.
 */
export type RequestedPurpose = 'sign-up' | 'verify-email' | 'reset-password' | 'login' | 'login-limited';

/** A request to mail a link, or a notice, to an address, whether or not that has an account. */
@Entity('link_requests')
export class LinkRequest {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  purpose: RequestedPurpose;

  @Column('text')
  email: string;

  /** The signup to mail a link to; null for another purpose. */
  @Column('uuid', { nullable: true })
  signupId: string | null;

  /** The language of the browser that asked, as a BCP 47 tag; null where none was named. */
  @Column('text', { nullable: true })
  locale: string | null;

  /** Where it was asked from, for the audit event. */
  @Column('text', { nullable: true })
  ip: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  /** The token of the link, and its code, encrypted; null for a notice. */
  @Column('bytea', { nullable: true })
  secrets: Buffer | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
