import cluster from 'node:cluster';
import { on } from 'node:events';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { ServiceUnavailable } from '../http/errors.js';

const ASKED = 'latchkey:scrape';
const TOLD = 'latchkey:scraped';

/** In the primary: answers a worker that asks with the figures of all of them, which no worker can gather. */
export function answerScrapes(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', async (worker, { type }) => {
    if (type !== ASKED) return;
    const text = await all.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ type: TOLD, text });
  });
}

/** In a worker: makes its figures part of those of all. */
export function joinScrapes(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  // Its constructor listens for the primary.
  new AggregatorRegistry();
}

/** In a worker: the figures of all, as Prometheus reads them. */
export async function scrapeAll(): Promise<string> {
  const messages = on(process, 'message');
  process.send?.({ type: ASKED });
  for await (const [{ type, text }] of messages) {
    if (type !== TOLD) continue;
    if (text === undefined) break;
    return text;
  }
  throw new ServiceUnavailable();
}
