import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { parseEnvironment } from '../config/read-environment.js';
import { createLog } from '../observability/log.js';
import { createApp } from '../start/app.js';
import { migrate } from '../start/migrate.js';
import type { Product } from '../start/product.js';
import { Seed } from './seed.js';
import { TestDatabase } from './test-database.repository.js';
import { TestMailbox } from './test-mailbox.js';

const HOST = '127.0.0.1';
const DATA_DIR = '.data/testing';

/** What only a test may have. The service refuses to start in any other environment than `dev` without its limits. */
const PRESET = {
  SVC_ENVIRONMENT: 'dev',
  SVC_RATE_LIMITS: 'off',
  SVC_BREACH_CHECK: 'off',
  SVC_BCRYPT_COST: '4',
  SVC_LOG_LEVEL: 'silent',
};

export interface TestOptions {
  /** Settings by their variables. Those of the process and of `.env` do not count: a test must meet no real service. */
  settings?: Record<string, string>;
  /** A PostgreSQL that runs already; by default that of `SVC_TEST_DATABASE_URL`, or else an embedded one starts. */
  databaseUrl?: string | undefined;
}

/** A service of a test's own, with an empty database. */
export interface TestService {
  /** Where it listens, for clients, browsers and back ends. */
  readonly url: string;
  /** To inject requests into, and to get what a module provides. */
  readonly app: NestFastifyApplication;
  readonly seed: Seed;
  readonly mailbox: TestMailbox;
  /** Ends the service, and drops its database. */
  stop(): Promise<void>;
}

/**
 * Starts the service with a product in the process of a test: with no limits, cheap password hashes, mails that stay here,
 * and a database that is dropped in the end.
 */
export async function startTest(
  product: Product = {},
  { settings = {}, databaseUrl = process.env.SVC_TEST_DATABASE_URL }: TestOptions = {},
): Promise<TestService> {
  refuseProduction(settings);
  const database = await TestDatabase.create(databaseUrl, DATA_DIR);
  let app: NestFastifyApplication | undefined;
  const stop = async () => {
    await app?.close();
    await database.drop();
  };

  try {
    const port = await findFreePort(HOST);
    const url = `http://localhost:${port}`;
    const environment = parseEnvironment({
      SVC_PORT: String(port),
      SVC_BASE_API_URL: url,
      SVC_DATABASE_URL: database.url,
      ...PRESET,
      ...settings,
    });
    await migrate(environment, product);
    app = await createApp(environment, await createLog(environment), product);
    await app.listen({ host: HOST, port });
    return { url, app, seed: new Seed(app, url), mailbox: new TestMailbox(url, database), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function refuseProduction({ SVC_ENVIRONMENT: asked }: Record<string, string>): void {
  const environment = asked ?? process.env.SVC_ENVIRONMENT ?? 'dev';
  if (environment !== 'dev')
    throw new Error(
      `startTest runs a service without limits, so it is for tests alone; SVC_ENVIRONMENT is ${environment}.`,
    );
  if (process.env.NODE_ENV === 'production')
    throw new Error(
      'startTest runs a service without limits, so it is for tests alone; NODE_ENV is production.',
    );
}
