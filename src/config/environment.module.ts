import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Environment } from './environment.js';

/**
 * Keeps the settings in @nestjs/config, where a product finds them beside its own, and makes the typed Environment
 * injectable everywhere.
 */
@Module({})
export class EnvironmentModule {
  static with(environment: Environment): DynamicModule {
    return {
      module: EnvironmentModule,
      global: true,
      imports: [
        // The start reads and checks them before Nest. `validate` would write them, secrets too, into process.env.
        ConfigModule.forRoot({
          ignoreEnvFile: true,
          validatePredefined: false,
          skipProcessEnv: true,
          load: [() => ({ ...environment })],
        }),
      ],
      providers: [{ provide: Environment, useValue: environment }],
      exports: [Environment, ConfigModule],
    };
  }
}
