import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Environment } from './config/environment.js';
import { dataSourceOptions } from './data-source.js';
import { ReservedPools } from './database/reserved-pools.js';
import { PoolMetrics } from './observability/pool-metrics.js';
import { SchemaHealth } from './observability/schema-health.js';

/** Connects to PostgreSQL at the start, and disconnects after the last request. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Environment],
      useFactory: (environment: Environment) => ({ ...dataSourceOptions(environment), retryAttempts: 0 }),
    }),
  ],
  providers: [PoolMetrics, ReservedPools, SchemaHealth],
  exports: [ReservedPools],
})
export class DatabaseModule {}
