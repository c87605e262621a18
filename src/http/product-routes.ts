import type { DynamicModule, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';

/** What `imports` of a module may hold. */
type Imported = Type | DynamicModule | Promise<DynamicModule> | { forwardRef: () => Imported };

/**
 * The controllers of a product: those of its modules, and of the modules that these import. A module that is imported as a
 * promise counts as one of the service, to whose routes the stricter rules apply.
 */
export class ProductRoutes {
  private readonly controllers = new Set<Type>();
  private readonly read = new Set<object>();

  constructor(modules: readonly (Type | DynamicModule)[]) {
    for (const each of modules) this.add(each);
  }

  has(controller: Type): boolean {
    return this.controllers.has(controller);
  }

  private add(imported: Imported): void {
    if (this.read.has(imported)) return;
    this.read.add(imported);
    if ('forwardRef' in imported) this.add(imported.forwardRef());
    else if (!(imported instanceof Promise)) this.addModule(imported);
  }

  private addModule(imported: Type | DynamicModule): void {
    const isDynamic = 'module' in imported;
    if (isDynamic) this.add(imported.module);
    for (const each of membersOf<Type>(imported, MODULE_METADATA.CONTROLLERS, isDynamic))
      this.controllers.add(each);
    for (const each of membersOf<Imported>(imported, MODULE_METADATA.IMPORTS, isDynamic)) this.add(each);
  }
}

/** The controllers, or the imports, that a module names. */
function membersOf<Member>(module: object, key: string, isDynamic: boolean): Member[] {
  const members = isDynamic ? (module as Record<string, unknown>)[key] : Reflect.getMetadata(key, module);
  return (members ?? []) as Member[];
}
