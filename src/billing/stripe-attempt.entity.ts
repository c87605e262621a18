import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { BillingCustomer } from './billing-customer.entity.js';

/** What an attempt is to make: the customer itself, or a checkout of one of the two modes. */
export type AttemptPurpose = 'customer' | 'subscription' | 'payment';

/** An attempt to make something at Stripe, which happens once however often it is tried. */
@Entity('stripe_attempts')
@Check('stripe_attempts_purpose_check', `purpose IN ('customer', 'subscription', 'payment')`)
@Unique(['customerId', 'purpose'])
export class StripeAttempt {
  /** The idempotency key. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  customerId: string;

  @ManyToOne(() => BillingCustomer, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'customer_id' })
  customer?: Relation<BillingCustomer>;

  @Column('text')
  purpose: AttemptPurpose;

  /** Of what is asked for, and behind a space in which language, if in one: Stripe takes a key for one request only. */
  @Column('text')
  digest: string;

  /** The checkout session it made, once that is known. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  /** When Stripe may have forgotten the key. */
  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
