import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A time in which a provider takes no mail. All replicas leave it alone until the pause is over; its next success
 * ends the outage.
 */
@Entity('mail_outages')
export class MailOutage {
  @PrimaryColumn('text')
  provider: string;

  @Column({ type: 'integer', default: 1 })
  failures: number;

  /** When the pause ends. While a probe is tried, some seconds before its lease ends. */
  @Column({ type: 'timestamptz', precision: 3 })
  pausedUntil: Date;

  /** Whether it refused the key, which only an operator can repair. */
  @Column('boolean')
  isKeyRefused: boolean;
}
