import cluster from 'node:cluster';
import { on } from 'node:events';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { ServiceUnavailable } from '../http/errors.js';

const REQUEST = 'latchkey:scrape';
const ANSWER = 'latchkey:scraped';

/** In the primary: answers a worker's request with the figures of all workers, which no worker can gather. */
export function answerScrapes(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', async (worker, { type }) => {
    if (type !== REQUEST) return;
    const text = await all.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ type: ANSWER, text });
  });
}

/** In a worker: adds its figures to those of all workers. */
export function joinScrapes(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  // Its constructor listens for the primary.
  new AggregatorRegistry();
}

/** In a worker: the figures of all workers, as Prometheus reads them. */
export async function scrapeAll(): Promise<string> {
  const messages = on(process, 'message');
  process.send?.({ type: REQUEST });
  for await (const [{ type, text }] of messages) {
    if (type !== ANSWER) continue;
    if (text === undefined) break;
    return text;
  }
  throw new ServiceUnavailable();
}
