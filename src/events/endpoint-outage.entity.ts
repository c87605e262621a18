import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A time in which an endpoint takes no events. All replicas leave it alone until the pause is over; the success of its probe
 * ends the outage.
 */
@Entity('webhook_outages')
export class EndpointOutage {
  /** The name of the endpoint in `SVC_WEBHOOKS`. */
  @PrimaryColumn('text')
  endpoint: string;

  @Column({ type: 'integer', default: 1 })
  failures: number;

  /** When the pause ends. While a probe is tried, some seconds before its lease ends. */
  @Column({ type: 'timestamptz', precision: 3 })
  pausedUntil: Date;

  /** Whether it refused the requests, or there is no such address, which only an operator can repair. */
  @Column('boolean')
  isRefused: boolean;
}
