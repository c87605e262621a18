import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import type { Actor } from '../http/caller.js';
import { inBatches, type QueueState, type StateCount } from '../queues/queue-ledger.repository.js';
import { DeliveryLedgerRepository, type DeliverySummary } from './delivery-ledger.repository.js';

/**
 * What an operator sees of the deliveries, and can do: retry dead letters, replay events to an endpoint that lost some,
 * forget an endpoint.
 */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly ledger: DeliveryLedgerRepository,
    private readonly transactions: Transactions,
  ) {}

  /** The newest deliveries in a state and to an endpoint, where one is given. */
  list(
    state: QueueState | undefined,
    endpoint: string | undefined,
    limit: number,
  ): Promise<DeliverySummary[]> {
    return this.ledger.find(state, endpoint, null, limit);
  }

  /** Throws NotFound. */
  get(id: string): Promise<DeliverySummary> {
    return this.ledger.get(id);
  }

  countByState(): Promise<StateCount[]> {
    return this.ledger.countByState();
  }

  /** Puts a dead letter back among the deliveries that wait. Throws NotFound, and NotDead for another delivery. */
  async retry(id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      await this.ledger.retry(id, tx);
      await tx.record('delivery.retried', { details: { retried: 1, delivery_id: id } });
    });
  }

  /** Puts all dead letters back, and returns how many there were. Those of one statement have one event. */
  retryDead(by: Actor): Promise<number> {
    return inBatches((after) => this.retrySome(after, by));
  }

  /** Sends an endpoint the events of some types again, and returns how many. It may be repeated when it fails midway. */
  async replay(endpoint: string, since: Date, types: string[], by: Actor): Promise<number> {
    const replayed = await this.ledger.replay(endpoint, since, types);
    await this.transactions.record('delivery.replayed', by, {
      details: { endpoint, since: since.toISOString(), replayed },
    });
    return replayed;
  }

  /** Deletes what waits for an endpoint, and returns how much that was. */
  async forget(endpoint: string, by: Actor): Promise<number> {
    const forgotten = await this.ledger.forget(endpoint);
    await this.transactions.record('delivery.forgotten', by, { details: { endpoint, forgotten } });
    return forgotten;
  }

  private retrySome(after: string | null, by: Actor) {
    return this.transactions.run(by, async (tx) => {
      const some = await this.ledger.retryDead(after, tx);
      if (some.count > 0) await tx.record('delivery.retried', { details: { retried: some.count } });
      return some;
    });
  }
}
