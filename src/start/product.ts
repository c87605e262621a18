import type { DynamicModule, Type } from '@nestjs/common';
import type { EntitySchema } from 'typeorm';
import type { PermissionDeclarations } from '../access/permissions.js';
import type { MigrationClass } from '../database/migrations.js';
import type { OwnMessages } from '../words/own-words.js';

/** What a product adds to the service, in the same process. */
export interface Product {
  /**
   * Modules of NestJS, imported beside those of the service. Every guard of the service holds for their routes: a request
   * needs a session unless the route is `@Public()`, and its body and its query are checked.
   */
  readonly modules?: readonly (Type | DynamicModule)[];

  /** Entities of TypeORM, in the one data source of the service. */
  readonly entities?: readonly (Type | EntitySchema)[];

  /**
   * Migrations of TypeORM. They run together with those of the service, in the order of the numbers at the end of their
   * names, each in a transaction of its own.
   */
  readonly migrations?: readonly MigrationClass[];

  /**
   * Texts in place of those of the service, by the tag of the language and the key, such as `{ de: { 'login.title': 'Willkommen' } }`.
   * Those of `SVC_MESSAGES_DIR` go before. One with a fault stops the start.
   */
  readonly messages?: OwnMessages;

  /**
   * What routes may ask for with `@Requires`, by names such as `notes.write`: what admins read of it, and the least role that
   * has it. One with a fault, and a route that requires another, stop the start.
   */
  readonly permissions?: PermissionDeclarations;
}
