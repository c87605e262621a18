import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule, registerAs } from '@nestjs/config';
import { Environment } from './environment.js';

/**
 * Registers the settings, which the start has read, with @nestjs/config, and makes them injectable everywhere as the typed
 * Environment. A product registers its own in the same way.
 */
@Module({})
export class EnvironmentModule {
  static with(environment: Environment): DynamicModule {
    const settings = registerAs('latchkey', () => environment);
    return {
      module: EnvironmentModule,
      global: true,
      imports: [ConfigModule.forFeature(settings)],
      providers: [{ provide: Environment, useExisting: settings.KEY }],
      exports: [Environment, ConfigModule],
    };
  }
}
