import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import type { Environment } from './config/environment.js';
import { Health } from './observability/health.js';
import { prepare } from './prepare.js';

/** How long requests in flight may take to finish once no more are taken. */
const DRAIN_MS = 25_000;

const ONE_SECOND_MS = 1000;

/** The parts that a signal ends, in this order. */
interface Running {
  app: NestFastifyApplication;
  stopDatabase: () => Promise<void>;
}

/** Brings up the database and the service. A signal ends both, without cutting a request off. */
export async function serve(environment: Environment, log: Logger): Promise<NestFastifyApplication> {
  const running = start(environment, log);
  drainOnSignal(running, environment.stopDelaySeconds * ONE_SECOND_MS, log);
  return (await running).app;
}

async function start(configured: Environment, log: Logger): Promise<Running> {
  const { environment, stop } = await prepare(configured, log);
  let app: NestFastifyApplication | undefined;

  try {
    app = await createApp(environment, log);
    await app.listen({ host: environment.host, port: environment.port });
    log.info({ event: 'service.listening', url: await app.getUrl() }, 'The service is listening.');
    return { app, stopDatabase: stop };
  } catch (error) {
    await app?.close();
    await stop();
    throw error;
  }
}

/** A signal during the start waits for the end of the start: otherwise a database half started would be left behind. */
function drainOnSignal(running: Promise<Running>, delayMs: number, log: Logger): void {
  let isDraining = false;

  const drain = async (signal: NodeJS.Signals): Promise<void> => {
    // A worker may get the same signal twice, from a terminal and from its primary.
    if (isDraining && cluster.isWorker) return;
    if (isDraining) process.exit(1);
    isDraining = true;
    setTimeout(() => process.exit(1), delayMs + DRAIN_MS).unref();

    const { app, stopDatabase } = await running;
    log.info(
      { event: 'service.stopping', signal },
      'The service finishes the requests in flight, and stops.',
    );
    app.get(Health).isStopping = true;
    await sleep(delayMs);
    await app.close();
    await stopDatabase();
    process.exit(0);
  };

  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}
