import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import { answerScrapes } from '../observability/scrape-workers.js';
import { exitOnCrash } from './exit-on-crash.js';
import { prepare } from './prepare.js';
import type { Product } from './product.js';
import { repetitions } from './repeated-signal.js';
import { stopLimitMs } from './stop-limit.js';

/**
 * How long the primary waits before it replaces a worker: twice as long each time, unless the worker lasted a minute.
 */
const SHORTEST_REST_MS = 100;
const LONGEST_REST_MS = 30_000;
const STEADY_MS = 60_000;

/** What a worker may take longer than its own limit until the primary ends it: one that is stuck cannot end itself. */
const PATIENCE_MS = 1_000;

/**
 * The service in several processes that share its port. This one, their primary, serves no client: it starts the
 * database, replaces a worker that ended, and passes a signal on to all of them.
 */
export class Workers {
  private readonly stopping = new AbortController();

  constructor(
    private readonly environment: Environment,
    private readonly product: Product,
    private readonly log: Logger,
  ) {}

  /** Ends the process after its workers, with 0 when all of them drained. */
  async serve(): Promise<void> {
    exitOnCrash(this.log);
    const isRepeated = repetitions();
    const stopOnce = () => {
      if (!isRepeated()) this.stop();
    };
    process.on('SIGTERM', stopOnce);
    process.on('SIGINT', stopOnce);
    const { environment, stop } = await prepare(this.environment, this.product, this.log);
    answerScrapes();

    const haveDrained = this.isStopping ? [] : await this.serveWith(() => forkWith(environment));
    await stop();
    process.exit(haveDrained.every(Boolean) ? 0 : 1);
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** The first worker starts alone, so that an error that keeps the service from starting is printed once. */
  private async serveWith(fork: () => Worker): Promise<boolean[]> {
    const first = fork();
    const ended = endOf(first);
    await Promise.race([once(first, 'listening'), ended]);
    if (first.isDead() || this.isStopping) return [(await ended).hasDrained];

    const others = Array.from({ length: this.environment.workers - 1 }, fork);
    return Promise.all([first, ...others].map((worker) => this.keep(worker, fork)));
  }

  /** Replaces a worker whenever it ends, until all are to stop. Returns whether the last one drained. */
  private async keep(worker: Worker, fork: () => Worker): Promise<boolean> {
    let restMs = SHORTEST_REST_MS / 2;

    for (let current = worker; ; current = fork()) {
      const { hasDrained, lastedMs, ...end } = await endOf(current);
      if (this.isStopping) return hasDrained;

      restMs = lastedMs > STEADY_MS ? SHORTEST_REST_MS : Math.min(2 * restMs, LONGEST_REST_MS);
      this.log.error(
        { event: 'worker.ended', ...end, rest_ms: restMs },
        'A worker ended; another one follows.',
      );
      await sleep(restMs, undefined, { signal: this.stopping.signal }).catch(() => {});
      if (this.isStopping) return true;
    }
  }

  /** The second signal ends what does not end by itself, and so does the limit. */
  private stop(): void {
    killAll(this.isStopping ? 'SIGKILL' : 'SIGTERM');
    if (!this.isStopping)
      setTimeout(() => killAll('SIGKILL'), stopLimitMs(this.environment) + PATIENCE_MS).unref();
    this.stopping.abort();
  }
}

function killAll(signal: NodeJS.Signals): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
}

/** The embedded database is up already: the worker gets its address. */
function forkWith({ databaseUrl }: Environment): Worker {
  return cluster.fork({ SVC_DATABASE_URL: databaseUrl });
}

async function endOf(worker: Worker) {
  const startedAt = performance.now();
  const [status, signal] = await once(worker, 'exit');
  // A worker that the signal kills was not serving a client yet.
  const hasDrained = status === 0 || signal === 'SIGTERM';
  return { hasDrained, lastedMs: performance.now() - startedAt, worker: worker.process.pid, status, signal };
}
