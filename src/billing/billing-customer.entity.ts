import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/**
 * A customer at Stripe, and the subscription as this service last read it there. It outlives its organization or user,
 * whose payments the bookkeeping still asks for; then it belongs to neither.
 */
@Entity('billing_customers')
@Index(['status', 'id'])
@Check('billing_customers_owner_check', 'num_nonnulls(org_id, user_id) <= 1')
@Check('billing_customers_subscription_check', '(subscription_id IS NULL) = (status IS NULL)')
export class BillingCustomer {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { nullable: true, unique: true })
  orgId: string | null;

  @ManyToOne('Org', { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'org_id' })
  org?: object | null;

  @Column('uuid', { nullable: true, unique: true })
  userId: string | null;

  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'user_id' })
  user?: Relation<User> | null;

  /** Null until Stripe has made the customer. */
  @Column('text', { nullable: true, unique: true })
  stripeCustomerId: string | null;

  /** The address last sent to Stripe; null until then, and where two replicas sent different ones at once. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { nullable: true })
  subscriptionId: string | null;

  /** The one item of the subscription, which holds price and quantity. */
  @Column('text', { nullable: true })
  itemId: string | null;

  /** As Stripe names it. */
  @Column('text', { nullable: true })
  status: string | null;

  @Column('text', { nullable: true })
  priceId: string | null;

  /** Null where usage is metered. */
  @Column('integer', { nullable: true })
  quantity: number | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  currentPeriodEnd: Date | null;

  @Column('boolean', { default: false })
  cancelAtPeriodEnd: boolean;

  /** When the first of the invoices that are still unpaid had to be paid, while the subscription is past due. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  pastDueSince: Date | null;

  /** The invoice about which those who pay were mailed last: the one that had to be paid first. */
  @Column('text', { nullable: true })
  dunnedInvoiceId: string | null;

  /** Which reading of Stripe the subscription is from; a higher number began later. */
  @Column('bigint', { default: 0 })
  readNumber: string;

  @Index()
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  readAt: Date | null;

  /** Whether it was made with a live key, so that real money moves; null until that was read. */
  @Column('boolean', { nullable: true })
  livemode: boolean | null;

  /** Whether any of its subscriptions, ended ones included, ever had a trial. */
  @Column('boolean', { default: false })
  trialUsed: boolean;

  /** When Stripe last answered that it has no such customer; null once it knows the customer. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  unknownAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
