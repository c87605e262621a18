import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { commit, version } from '../config/version.js';
import { explainedAt, serviceAddress } from '../database/first-connection.js';
import { portFinding } from '../http/port-finding.js';
import { Health } from '../observability/health.js';
import { createApp } from './app.js';
import { exitOnCrash } from './exit-on-crash.js';
import { prepare } from './prepare.js';
import type { Product } from './product.js';
import { repetitions } from './repeated-signal.js';
import { ONE_SECOND_MS, stopLimitMs } from './stop-limit.js';

/** The parts that a signal ends, in this order. */
interface Running {
  app: NestFastifyApplication;
  stopDatabase: () => Promise<void>;
}

/** What else belongs to a start, once the service takes requests. */
type Welcome = (app: NestFastifyApplication) => Promise<void>;

/** Brings up the database and the service. A signal ends both, without cutting a request off. */
export async function serveInProcess(
  environment: Environment,
  product: Product,
  log: Logger,
  welcome?: Welcome,
): Promise<void> {
  exitOnCrash(log);
  const running = start(environment, product, log, welcome);
  drainOnSignal(running, environment, log);
  await running;
}

async function start(
  configured: Environment,
  product: Product,
  log: Logger,
  welcome?: Welcome,
): Promise<Running> {
  const { environment, stop } = await prepare(configured, product, log);
  let app: NestFastifyApplication | undefined;

  try {
    app = await createApp(environment, log, product);
    await listen(app, environment);
    log.info(
      {
        event: 'service.started',
        url: await app.getUrl(),
        version: version(),
        commit: commit(),
        node: process.versions.node,
        environment: environment.environment,
        ms: Math.round(performance.now()),
      },
      'The service takes requests.',
    );
    await welcome?.(app);
    return { app, stopDatabase: stop };
  } catch (error) {
    await app?.close();
    await stop();
    throw explainedAt(serviceAddress(environment), error);
  }
}

async function listen(app: NestFastifyApplication, environment: Environment): Promise<void> {
  try {
    await app.listen({ host: environment.host, port: environment.port });
  } catch (error) {
    const finding = portFinding(error, environment);
    throw finding === null ? error : new OperatorError(finding);
  }
}

/** A signal during the start waits for the end of the start: otherwise a database half started would be left behind. */
function drainOnSignal(running: Promise<Running>, environment: Environment, log: Logger): void {
  const isRepeated = repetitions();
  let isDraining = false;

  const drain = async (signal: NodeJS.Signals): Promise<void> => {
    // A worker may get the same signal twice, from a terminal and from its primary.
    if (isRepeated() || (isDraining && cluster.isWorker)) return;
    if (isDraining) process.exit(1);
    isDraining = true;
    setTimeout(() => process.exit(1), stopLimitMs(environment)).unref();

    const { app, stopDatabase } = await running;
    const stoppingAt = performance.now();
    log.info(
      { event: 'service.stopping', signal },
      'The service finishes the requests in flight, and stops.',
    );
    app.get(Health).isStopping = true;
    await sleep(environment.stopDelaySeconds * ONE_SECOND_MS);
    await app.close();
    await stopDatabase();
    const ms = Math.round(performance.now() - stoppingAt);
    log.info({ event: 'service.stopped', ms }, 'The service has answered its last request.');
    process.exit(0);
  };

  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}
