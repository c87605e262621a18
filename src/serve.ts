import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import type { Environment } from './config/environment.js';
import { isKnownEnvironment } from './config/origins.js';
import { describeFault } from './config/preflight/fault.js';
import { preflight } from './config/preflight/preflight.js';
import { migrate } from './database/migrate.js';
import { provideDatabase } from './database/provide-database.js';

/** How long requests in flight may take to finish once the process is told to stop. */
const DRAIN_MS = 25_000;

/** What a signal has to end, in this order. */
interface Running {
  app: NestFastifyApplication;
  stopDatabase: () => Promise<void>;
}

/** Brings up the database and the service. A signal ends both, without cutting a request off. */
export async function serve(environment: Environment, log: Logger): Promise<NestFastifyApplication> {
  const running = start(environment, log);
  drainOnSignal(running, log);
  return (await running).app;
}

async function start(configured: Environment, log: Logger): Promise<Running> {
  if (!isKnownEnvironment(configured)) {
    log.warn(
      `${configured.environment} is no known environment: the rules of prod apply, and no origin is allowed`,
    );
  }
  for (const fault of preflight(configured)) log.warn(describeFault(fault));
  const { environment, stop } = await provideDatabase(configured, (line) => log.info(line));
  let app: NestFastifyApplication | undefined;

  try {
    for (const name of await migrate(environment)) log.info(`migrated: ${name}`);
    app = await createApp(environment, log);
    await app.listen({ host: environment.host, port: environment.port });
    log.info(`listening on ${await app.getUrl()}`);
    return { app, stopDatabase: stop };
  } catch (error) {
    await app?.close();
    await stop();
    throw error;
  }
}

/** A signal during the start waits for its end: a database half started would be left behind. */
function drainOnSignal(running: Promise<Running>, log: Logger): void {
  let isDraining = false;

  const drain = async (signal: NodeJS.Signals): Promise<void> => {
    if (isDraining) process.exit(1);
    isDraining = true;
    setTimeout(() => process.exit(1), DRAIN_MS).unref();

    const { app, stopDatabase } = await running;
    log.info(`${signal}: finishing the requests in flight`);
    await app.close();
    await stopDatabase();
    process.exit(0);
  };

  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}
