import { type DynamicModule, Module } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { type PermissionDeclarations, Permissions } from './permissions.js';

/** The permissions that are declared, for whatever asks for them. */
@Module({})
export class PermissionsModule {
  static with(ofProduct?: PermissionDeclarations): DynamicModule {
    return {
      module: PermissionsModule,
      global: true,
      providers: [
        {
          provide: Permissions,
          inject: [Environment],
          useFactory: (environment: Environment) => Permissions.declared(environment, ofProduct),
        },
      ],
      exports: [Permissions],
    };
  }
}
