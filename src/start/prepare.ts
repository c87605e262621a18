import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import { agedNode } from '../config/preflight/node-release.js';
import { preflight } from '../config/preflight/preflight.js';
import { unknownSettings } from '../config/preflight/unknown-settings.js';
import { wordFindings } from '../words/languages.js';
import { migrate } from './migrate.js';
import { readOwnFolder } from './own-folder.js';
import type { Product } from './product.js';
import { type ProvidedDatabase, provideDatabase } from './provide-database.js';

/** Logs doubtful settings, starts the database where needed, and migrates it. A worker's primary has done all that. */
export async function prepare(
  configured: Environment,
  product: Product,
  log: Logger,
): Promise<ProvidedDatabase> {
  if (cluster.isWorker) return { environment: configured, stop: async () => {} };

  const { words, frame } = await readOwnFolder(configured, product.messages);
  const findings = [
    ...preflight(configured),
    ...agedNode(configured),
    ...unknownSettings(),
    ...(await wordFindings(configured, words)),
    ...(frame?.warnings ?? []),
  ];
  for (const { code, text, fix } of findings) log.warn({ event: 'setting.doubtful', code, fix }, text);
  const provided = await provideDatabase(configured, (line) =>
    log.info({ event: 'database.starting' }, line),
  );

  try {
    for (const migration of await migrate(provided.environment, product))
      log.info({ event: 'schema.migrated', migration }, 'A migration changed the schema.');
    return provided;
  } catch (error) {
    await provided.stop();
    throw error;
  }
}
