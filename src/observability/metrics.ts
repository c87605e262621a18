import cluster from 'node:cluster';
import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram } from 'prom-client';
import { Environment } from '../config/environment.js';
import { oneAtATime } from './one-at-a-time.js';
import { ReadingRegistry } from './reading-registry.js';
import { joinScrapes, scrapeAll } from './scrapes.js';

const PREFIX = 'latchkey_';

/**
 * The figures of this process. A feature registers its own, in a `*-metrics.ts` beside what it measures.
 *
 * The registry is not prom-client's global one: a process may hold several services, as in the tests.
 */
@Injectable()
export class Metrics {
  private readonly registry = new ReadingRegistry();

  /** All figures, as Prometheus reads them; in a worker those of all workers together. */
  readonly scrape = oneAtATime(() => (cluster.isWorker ? scrapeAll() : this.registry.metrics()));

  constructor({ metricsToken }: Environment) {
    // They watch the event loop and the garbage collector all the time: not where nobody can ask for them.
    if (metricsToken !== undefined) collectDefaultMetrics({ register: this.registry });
    if (cluster.isWorker) joinScrapes(this.registry);
  }

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  gauge<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  /** A gauge of what all processes share, such as the outbox: a scrape takes the figure of one, not their sum. */
  sharedGauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> {
    return new Gauge({
      name: PREFIX + name,
      help,
      labelNames,
      registers: [this.registry],
      aggregator: 'first',
    });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** Sets gauges at each scrape. */
  readAtScrape(gauges: Gauge<string>[], read: () => void | Promise<void>): void {
    this.registry.readAlways(gauges, read);
  }
}
