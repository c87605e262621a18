import { Logger } from '@nestjs/common';
import { type Gauge, Registry } from 'prom-client';
import { within } from '../database/time-limit.js';
import { oneAtATime } from './one-at-a-time.js';

/** A scrape waits this long for what is read elsewhere; Prometheus itself gives up after ten seconds. */
const READING_LIMIT_MS = 2_000;

/** Gauges whose truth lies elsewhere, such as in PostgreSQL, and how to set them to it. */
interface Reading {
  gauges: Gauge<string>[];
  read: () => Promise<void>;
}

/** A registry that sets some of its gauges whenever it is asked for its figures. */
export class ReadingRegistry extends Registry {
  private readonly logger = new Logger(ReadingRegistry.name);
  private readonly readings: Reading[] = [];

  /** Where setting them fails, or takes too long, they are left out: no figure is better than an old one. */
  readAlways(gauges: Gauge<string>[], read: () => void | Promise<void>): void {
    this.readings.push({ gauges, read: oneAtATime(async () => read()) });
  }

  override async metrics() {
    await this.readAll();
    return super.metrics();
  }

  override async getMetricsAsJSON() {
    await this.readAll();
    return super.getMetricsAsJSON();
  }

  private async readAll(): Promise<void> {
    await Promise.all(this.readings.map((reading) => this.take(reading)));
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
