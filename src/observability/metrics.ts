import cluster from 'node:cluster';
import { Injectable, Logger } from '@nestjs/common';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from 'prom-client';
import { Environment } from '../config/environment.js';
import { limitedReading, oneAtATime } from './limited-reading.js';
import { joinScrapes, scrapeAll } from './scrape-workers.js';

const PREFIX = 'latchkey_';

/** Gauges of prom-client's own that are named like counters, which promtool refuses; each is a sum of another one. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Sets a gauge whose figure lies elsewhere, such as in PostgreSQL. */
type Read<Label extends string> = (gauge: Gauge<Label>) => void | Promise<void>;

/**
 * The figures of this process. A feature registers its own, in a `*-metrics.ts` in its folder.
 *
 * The registry is not prom-client's global one: a process may hold several services, as in the tests.
 */
@Injectable()
export class Metrics {
  private readonly logger = new Logger(Metrics.name);
  private readonly registry = new Registry();

  /** All figures, as Prometheus reads them; in a worker those of all workers together. */
  readonly scrape = oneAtATime(() => (cluster.isWorker ? scrapeAll() : this.registry.metrics()));

  constructor({ metricsToken }: Environment) {
    // They watch the event loop and the garbage collector all the time: not where no client may ask for them.
    if (metricsToken !== undefined) collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    if (cluster.isWorker) joinScrapes(this.registry);
  }

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  /** A gauge that is read at each scrape. */
  gauge(name: string, help: string, read: Read<never>): void {
    this.readAtScrape({ name, help }, read);
  }

  /** A gauge of what all processes share, such as the outbox: a scrape takes the figure of one, not their sum. */
  sharedGauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    read: Read<Label>,
  ): void {
    this.readAtScrape({ name, help, labelNames, aggregator: 'first' }, read);
  }

  /** A gauge of what the workers of a replica have in common. Its reading sees to its own time limit. */
  replicaGauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    read: Read<Label>,
  ): void {
    this.readAtScrape({ name, help, labelNames, aggregator: 'first' }, read, oneAtATime);
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers: [this.registry] });
  }

  private readAtScrape<Label extends string>(
    options: GaugeConfiguration<Label>,
    read: Read<Label>,
    limited = limitedReading<void>,
  ): void {
    const gauge: Gauge<Label> = new Gauge({
      ...options,
      name: PREFIX + options.name,
      registers: [this.registry],
      collect: () => this.collect(options.name, gauge, readOnce),
    });
    const readOnce = limited(async () => read(gauge));
  }

  /** Where reading fails, or takes too long, the gauge is left out: no figure is better than an old one. */
  private async collect(metric: string, gauge: Gauge<string>, read: () => Promise<void>): Promise<void> {
    clear(gauge);
    try {
      await read();
    } catch (error) {
      this.logger.warn({ event: 'metrics.read_failed', metric, err: error }, 'A figure could not be read.');
    }
  }
}

/** Leaves a gauge without a value. A reset alone would set one that has no labels to 0. */
function clear(gauge: Gauge<string>): void {
  gauge.reset();
  gauge.remove({});
}
