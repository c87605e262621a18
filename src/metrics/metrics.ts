import { Injectable, Logger } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Environment } from '../config/environment.js';
import { oneAtATime } from '../one-at-a-time.js';
import { within } from '../within.js';

const PREFIX = 'latchkey_';

/** A scrape waits this long for what is read elsewhere; Prometheus itself gives up after ten seconds. */
const READING_LIMIT_MS = 2_000;

/** Gauges whose truth lies elsewhere, such as in PostgreSQL, and how to set them to it. */
interface Reading {
  gauges: Gauge<string>[];
  read: () => Promise<void>;
}

/**
 * The figures of this process. A feature registers its own, in a `*-metrics.ts` beside what it measures.
 *
 * The registry is not prom-client's global one: a process may hold several services, as that of the tests does.
 */
@Injectable()
export class Metrics {
  private readonly logger = new Logger(Metrics.name);
  private readonly registry = new Registry();
  private readonly readings: Reading[] = [];

  /** All figures, as Prometheus reads them. */
  readonly scrape = oneAtATime(() => this.collect());

  constructor({ metricsToken }: Environment) {
    // They watch the event loop and the garbage collector all the time: not where nobody can ask for them.
    if (metricsToken !== undefined) collectDefaultMetrics({ register: this.registry });
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

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** Sets gauges anew at each scrape. Where that fails, or takes too long, they are left out: no figure is better than an old one. */
  readAtScrape(gauges: Gauge<string>[], read: () => void | Promise<void>): void {
    this.readings.push({ gauges, read: oneAtATime(async () => read()) });
  }

  private async collect(): Promise<string> {
    await Promise.all(this.readings.map((reading) => this.take(reading)));
    return this.registry.metrics();
  }

  private async take({ gauges, read }: Reading): Promise<void> {
    for (const gauge of gauges) clear(gauge);
    try {
      await within(READING_LIMIT_MS, read());
    } catch (error) {
      this.logger.warn(error, 'some figures could not be read');
    }
  }
}

/** Leaves a gauge without a value. A reset alone would set one that has no labels to 0. */
function clear(gauge: Gauge<string>): void {
  gauge.reset();
  gauge.remove({});
}
