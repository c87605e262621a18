import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { type Job, JobLoop } from './job-loop.js';
import { JobMetrics } from './job-metrics.js';
import { Notifications } from './notifications.js';

/**
 * The jobs of the service. A feature adds its own when its module starts; they begin when the service serves, so
 * that a command line that uses the same modules leaves them to it.
 */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Background.name);
  /** The loops by the channel that wakes them. */
  private readonly loops = new Map<string, JobLoop[]>();
  private notifications: Notifications | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly metrics: JobMetrics,
  ) {}

  add(job: Job): void {
    const { name, channel = name } = job;
    this.metrics.watch(name);
    const loops = this.loops.get(channel) ?? [];
    this.loops.set(channel, [...loops, new JobLoop(job, this.logger, this.metrics)]);
  }

  /** Does not wait for the connection that listens: until it is open, the jobs look for work by themselves. */
  start(): void {
    const { databaseUrl } = this.environment;
    this.notifications = new Notifications(databaseUrl, [...this.loops.keys()], (channel) => {
      for (const loop of this.loops.get(channel) ?? []) loop.wake();
    });
    this.notifications.open();
    for (const loop of this.allLoops()) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.notifications?.close();
    await Promise.all(this.allLoops().map((loop) => loop.stop()));
  }

  private allLoops(): JobLoop[] {
    return [...this.loops.values()].flat();
  }
}
