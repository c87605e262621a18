import type { Leased } from '../queues/leased-queue.repository.js';
import type { QueueNames } from '../queues/queue-names.js';

/** Days after which a delivery that fails once more is given up. */
const GIVEN_UP_AFTER_DAYS = 3;

/** The queue of deliveries. */
export const DELIVERIES: QueueNames = {
  table: 'webhook_deliveries',
  channel: 'webhook_deliveries',
  endpoint: 'endpoint',
  claimed: `event_id AS "eventId", created_at <= now() - interval '${GIVEN_UP_AFTER_DAYS} days' AS "isLast"`,
  restarts: 'created_at',
  outages: { table: 'webhook_outages', endpoint: 'endpoint', refused: 'is_refused' },
};

/** A delivery that is ours to send until its lease ends. */
export interface ClaimedDelivery extends Leased {
  eventId: string;
  /** Whether this attempt is the last one. */
  isLast: boolean;
}
