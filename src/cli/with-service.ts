import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { destination } from 'pino';
import { OperatorError } from '../config/operator-error.js';
import { describeFinding } from '../config/preflight/finding.js';
import { readEnvironment } from '../config/read-environment.js';
import { type DatabaseAddress, serviceAddress } from '../database/first-connection.js';
import { Migrations } from '../database/migrations.js';
import { schemaFindings } from '../database/schema-findings.js';
import { logTo } from '../observability/log.js';
import { NestLog } from '../observability/nest-log.js';
import { AppModule } from '../start/app.module.js';
import { readSchema } from '../start/migrate.js';
import type { Product } from '../start/product.js';
import { provideDatabase } from '../start/provide-database.js';

/**
 * No request waits for a command. On a busy machine its own start may keep it from seeing for seconds that a connection is
 * open, which by the time limit of the service would have failed.
 */
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * Does something with the service's own parts, without serving. It logs what goes wrong to standard error. It never
 * migrates: an operator who lists mails with a newer build would change the schema under the replicas that serve.
 */
export async function withService(
  product: Product,
  work: (service: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const { environment, stop } = await provideDatabase(await readEnvironment(), (line) => console.error(line));

  try {
    await refuseOldSchema(serviceAddress(environment), new Migrations(product.migrations));
    const service = await NestFactory.createApplicationContext(
      AppModule.with(environment, product, CONNECT_TIMEOUT_MS),
      { logger: new NestLog(logTo(destination(2), 'warn')), abortOnError: false },
    );
    await work(service).finally(() => service.close());
  } finally {
    await stop();
  }
}

/** A newer schema will do: migrations leave what the version before them needs. */
async function refuseOldSchema(address: DatabaseAddress, migrations: Migrations): Promise<void> {
  for (const finding of schemaFindings(await readSchema(address, migrations))) {
    if (finding.severity === 'error') throw new OperatorError(finding);
    console.error(describeFinding(finding));
  }
}
