import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import type { Environment } from './config/environment.js';
import { migrate } from './database/migrate.js';
import { provideDatabase } from './database/provide-database.js';

/** How long requests in flight may take to finish once the process is told to stop. */
const DRAIN_MS = 25_000;

/** Brings up the database and the service, and arranges that a signal ends both without cutting a request off. */
export async function serve(configured: Environment, log: Logger): Promise<NestFastifyApplication> {
  const { environment, stop } = await provideDatabase(configured, (line) => log.info(line));

  try {
    for (const name of await migrate(environment)) log.info(`migrated: ${name}`);
    const app = await createApp(environment, log);
    await app.listen({ host: environment.host, port: environment.port });
    drainOnSignal(app, stop, log);
    return app;
  } catch (error) {
    await stop();
    throw error;
  }
}

function drainOnSignal(app: NestFastifyApplication, stopDatabase: () => Promise<void>, log: Logger): void {
  let isDraining = false;

  const drain = async (signal: NodeJS.Signals): Promise<void> => {
    if (isDraining) process.exit(1);
    isDraining = true;
    log.info(`${signal}: finishing the requests in flight`);
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    await app.close();
    await stopDatabase();
    process.exit(0);
  };

  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}
