import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { destination } from 'pino';
import { AppModule } from '../app.module.js';
import { readEnvironment } from '../config/read-environment.js';
import { migrate } from '../migrate.js';
import { logTo } from '../observability/log.js';
import { NestLog } from '../observability/nest-log.js';
import { provideDatabase } from '../provide-database.js';

/** Does something with the service's own parts, without serving. It logs what goes wrong to standard error. */
export async function withService(work: (service: INestApplicationContext) => Promise<void>): Promise<void> {
  const { environment, stop } = await provideDatabase(readEnvironment(), (line) => console.error(line));

  try {
    await migrate(environment);
    const service = await NestFactory.createApplicationContext(AppModule.with(environment), {
      logger: new NestLog(logTo(destination(2), 'warn')),
      abortOnError: false,
    });
    await work(service).finally(() => service.close());
  } finally {
    await stop();
  }
}
