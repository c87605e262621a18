import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Environment } from '../config/environment.js';
import { dataSourceOptions } from './data-source.js';
import { PoolMetrics } from './pool-metrics.js';
import { ReservedPools } from './reserved-pools.js';
import { SchemaHealth } from './schema-health.js';

/** Connects to PostgreSQL at start, and lets go of it after the last request. */
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
