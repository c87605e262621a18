import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Environment } from '../config/environment.js';
import { LookupConnections } from '../database/lookup-connections.js';
import { Migrations } from '../database/migrations.js';
import { ReservedConnections } from '../database/reserved-connections.js';
import { PoolMetrics } from '../observability/pool-metrics.js';
import { SchemaHealth } from '../observability/schema-health.js';
import { WriteHealth } from '../observability/write-health.js';
import { dataSourceOptions } from './data-source.js';
import type { Product } from './product.js';

/** Connects to PostgreSQL at the start, and disconnects after the last request. */
@Module({
  providers: [LookupConnections, PoolMetrics, ReservedConnections, SchemaHealth, WriteHealth],
  exports: [LookupConnections, ReservedConnections],
})
export class DatabaseModule {
  static with(product: Product, connectTimeoutMs?: number): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Environment],
          useFactory: (environment: Environment) => ({
            ...dataSourceOptions(environment, connectTimeoutMs),
            entities: [...(product.entities ?? [])],
            autoLoadEntities: true,
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [{ provide: Migrations, useValue: new Migrations(product.migrations) }],
    };
  }
}
