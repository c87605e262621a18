import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Environment } from './config/environment.js';
import { isKnownEnvironment } from './config/origins.js';
import { describeFinding } from './config/preflight/finding.js';
import { preflight } from './config/preflight/preflight.js';
import { unknownSettings } from './config/preflight/unknown-settings.js';
import { migrate } from './migrate.js';
import { type ProvidedDatabase, provideDatabase } from './provide-database.js';

/** Warns of doubtful settings, and brings up the migrated database. For a worker its primary has done both. */
export async function prepare(configured: Environment, log: Logger): Promise<ProvidedDatabase> {
  if (cluster.isWorker) return { environment: configured, stop: async () => {} };

  if (!isKnownEnvironment(configured)) {
    log.warn(
      `${configured.environment} is not a known environment: the rules of prod apply, and no origin is allowed`,
    );
  }
  for (const finding of [...preflight(configured), ...unknownSettings()]) log.warn(describeFinding(finding));
  const provided = await provideDatabase(configured, (line) => log.info(line));

  try {
    for (const name of await migrate(provided.environment)) log.info(`migrated: ${name}`);
    return provided;
  } catch (error) {
    await provided.stop();
    throw error;
  }
}
