import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An event of Stripe's whose effect is stored, kept for longer than Stripe goes on sending it. */
@Entity('stripe_events')
export class StripeEvent {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  kind: string;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
