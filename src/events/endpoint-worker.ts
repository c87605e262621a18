import { Logger } from '@nestjs/common';
import type { EventEndpoint } from '../config/event-endpoint.js';
import type { Job } from '../queues/job-loop.js';
import type { LeasedQueueRepository } from '../queues/leased-queue.repository.js';
import type { Pace } from '../queues/pace.js';
import { QueueWorker } from '../queues/queue-worker.js';
import { together } from '../queues/together.js';
import { Unavailable } from '../queues/unavailable.js';
import { type ClaimedDelivery, DELIVERIES } from './deliveries.js';
import type { AttemptOutcome, EventMetrics } from './event-metrics.js';
import type { EventPayload } from './event-payload.js';
import type { EventPost } from './event-post.js';
import type { EventSubjectsRepository } from './event-subjects.repository.js';

const AT_ONCE = 10;

/**
 * Sends the events that wait for one endpoint. Each endpoint has a worker of its own, so that one that is slow, or never
 * comes to an end, delays the events of no other.
 */
export class EndpointWorker implements Job {
  readonly name: string;
  readonly channel = DELIVERIES.channel;
  private readonly logger = new Logger(EndpointWorker.name);
  private readonly worker: QueueWorker<ClaimedDelivery>;

  constructor(
    private readonly endpoint: EventEndpoint,
    private readonly queue: LeasedQueueRepository<ClaimedDelivery>,
    private readonly subjects: EventSubjectsRepository,
    private readonly post: EventPost,
    private readonly metrics: EventMetrics,
    pace: Pace,
  ) {
    this.name = `${DELIVERIES.channel}:${endpoint.name}`;
    this.worker = new QueueWorker(queue, pace, {
      postponed: (delivery, reason) =>
        this.logger.warn(
          { event: 'delivery.postponed', ...fieldsOf(delivery), reason },
          'The worker could not deliver an event and tries again later.',
        ),
      givenUp: (delivery, reason) =>
        this.logger.error(
          { event: 'delivery.given_up', ...fieldsOf(delivery), reason },
          'The worker gave up the delivery of an event, which is now a dead letter.',
        ),
    });
  }

  work(signal: AbortSignal): Promise<number | null> {
    const deliver = (deliveries: ClaimedDelivery[]) => this.deliverAll(deliveries);
    return this.worker.work(this.endpoint.name, AT_ONCE, deliver, signal);
  }

  private async deliverAll(deliveries: ClaimedDelivery[]): Promise<void> {
    const payloads = await this.subjects.read(deliveries.map(({ eventId }) => eventId));
    await together(deliveries.map((delivery) => this.deliver(delivery, payloads.get(delivery.eventId))));
  }

  /** The payload is undefined when the event was pruned meanwhile, and null when its type is not sent. */
  private async deliver(delivery: ClaimedDelivery, payload: EventPayload | null | undefined): Promise<void> {
    if (payload === undefined) return this.queue.finish(delivery, 'expired');
    if (payload === null) return this.queue.finish(delivery, 'skipped');
    await this.worker.attempt(
      delivery,
      () => this.send(delivery.eventId, payload),
      () => delivery.isLast,
    );
  }

  private async send(eventId: string, payload: EventPayload): Promise<void> {
    let outcome: AttemptOutcome = 'sent';
    try {
      await this.post.send(this.endpoint, eventId, payload);
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      this.metrics.count(this.endpoint.name, outcome);
    }
  }
}

function outcomeOf(error: unknown): AttemptOutcome {
  if (!(error instanceof Unavailable)) return 'failed';
  return error.details.isRefused ? 'refused' : 'unavailable';
}

function fieldsOf({ id, eventId, endpoint, attempts }: ClaimedDelivery) {
  return { delivery: id, audit_event: eventId, endpoint: endpoint, attempts };
}
