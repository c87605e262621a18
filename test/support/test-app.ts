import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Environment } from '../../src/config/environment.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { logTo } from '../../src/observability/log.js';
import { createApp } from '../../src/start/app.js';
import type { Product } from '../../src/start/product.js';
import { Browser } from './browser.js';
import { holdToContract } from './contract.js';
import { noteLine } from './log-lines.js';
import { Mailbox } from './mails.js';
import { NO_PWNED_PASSWORDS } from './pwned-passwords-stand-in.js';
import { TestDatabase } from './test-database.js';

/** The service as it is deployed, on a database of its own. */
export class TestApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly environment: Environment,
    readonly database: TestDatabase,
    readonly mailbox: Mailbox,
    /** Everything the service has logged. */
    readonly log: string[],
    /** Every route it serves, such as `GET /users/me`. */
    readonly routes: string[],
  ) {}

  /** Starts the service with some variables set otherwise, and with what a product adds. */
  static async start(
    variables: Record<string, string> = {},
    { database, product }: { database?: TestDatabase; product?: Product } = {},
  ): Promise<TestApp> {
    const own = database ?? (await TestDatabase.create());
    const environment = parseEnvironment({
      SVC_ENVIRONMENT: 'dev',
      SVC_DATABASE_URL: own.url,
      SVC_BCRYPT_COST: '4',
      SVC_BASE_WEB_URL: 'http://localhost:5173',
      SVC_BASE_API_URL: 'http://localhost:3000',
      SVC_LOCALES: 'en',
      SVC_EMAIL_PROVIDER: 'stub',
      SVC_BREACH_BASE_URL: NO_PWNED_PASSWORDS,
      SVC_JWT_SECRET_KEY: 'a secret that only the tests know and of 32 or more',
      ...(variables.SVC_ENVIRONMENT === undefined && { SVC_RATE_LIMITS: 'off' }),
      ...variables,
    });

    const log: string[] = [];
    const stream = new PassThrough().on('data', (line) => {
      log.push(String(line));
      noteLine(String(line));
    });
    const nest = await createApp(environment, logTo(stream, environment.logLevel), product);
    const routes: string[] = [];
    nest
      .getHttpAdapter()
      .getInstance()
      .addHook('onRoute', ({ method, url }) => {
        for (const verb of [method].flat()) routes.push(`${verb} ${url}`);
      });
    // The routes of a product are not in the document of the service.
    if (product?.modules === undefined) holdToContract(nest);
    await nest.init();
    await nest.getHttpAdapter().getInstance().ready();
    return new TestApp(nest, environment, own, new Mailbox(own), log, routes);
  }

  browser(headers?: Record<string, string>): Browser {
    return new Browser(this.nest, headers);
  }

  /** Listens on a free port of loopback, for what only a real connection shows. */
  async listen(): Promise<number> {
    await this.nest.listen(0, '127.0.0.1');
    return (this.nest.getHttpServer().address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await this.nest.close();
    await this.database.close();
  }
}
