import { type ValidationError, validateSync } from 'class-validator';
import { type DeclaredPermission, declaredPermission } from '../config/declared-permission.js';
import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { InsufficientPermission } from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';
import type { RouteRules } from '../http/route-rules.js';
import type { Rights } from './rights.js';

/** What a product declares of a permission, by its name. */
export interface PermissionDeclaration {
  /** What admins read. */
  readonly title: string;
  /** The least role that has it; `operator` for SYSTEM_ADMINs alone. */
  readonly from: Exclude<Role, Role.SYSTEM_ADMIN> | 'operator';
  /** Whether keys may have it. */
  readonly keys?: boolean;
}

export type PermissionDeclarations = Readonly<Record<string, PermissionDeclaration>>;

/** What a route says of permissions. */
type AskingRoute = { method: string; path: string } & Pick<
  RouteRules,
  'permissions' | 'keyPermissions' | 'isPublic' | 'needsStepUp'
>;

const MAX_DECLARED = 200;

const OWN_FAMILY = 'latchkey.';

/** What the service itself lets a role do. Each stands beside the `@MinRole` of the routes that it is about. */
const OWN: PermissionDeclarations = {
  'latchkey.members.read': { title: 'See the organization and its members', from: Role.READONLY, keys: true },
  'latchkey.members.manage': { title: 'Invite, change and remove members', from: Role.ORG_ADMIN },
  'latchkey.billing.read': { title: 'See the subscription', from: Role.READONLY, keys: true },
  'latchkey.billing.manage': { title: 'Change and cancel the subscription', from: Role.ORG_ADMIN },
  'latchkey.audit.read': { title: 'See who did what in the organization', from: Role.ORG_ADMIN, keys: true },
  'latchkey.org.manage': { title: 'Change the organization and its rules', from: Role.ORG_ADMIN },
  'latchkey.users.read': { title: 'See all users and organizations', from: 'operator', keys: true },
};

/**
 * The permissions that are declared: those of the service, of the product in its process, and of `SVC_PERMISSIONS`. Each role
 * has those that begin at it or at a lower one. No role has what is not declared.
 */
export class Permissions {
  private readonly sets: ReadonlyMap<Role, ReadonlySet<string>>;

  private constructor(readonly all: readonly DeclaredPermission[]) {
    this.sets = new Map(Object.values(Role).map((role) => [role, new Set(namesFrom(role, all))]));
  }

  /** @throws OperatorError when a declaration has a fault; it names all faults. */
  static declared(
    { permissions: ofSetting }: Pick<Environment, 'permissions'>,
    ofProduct: PermissionDeclarations = {},
  ): Permissions {
    const inProcess = listOf(ofProduct);
    const faults = inProcess.flatMap((each) => validateSync(each).map((error) => faultOf(each, error)));
    const names = [...inProcess, ...ofSetting].map(({ name }) => name);
    for (const name of names.filter((each, index) => names.indexOf(each) < index))
      faults.push(`${name} is declared twice.`);
    for (const name of names.filter(isOwn))
      faults.push(`${name} is of the family of the service: choose another first word.`);
    if (names.length > MAX_DECLARED)
      faults.push(`${names.length} are declared, and ${MAX_DECLARED} at most may be.`);
    refuse(faults);
    return new Permissions([...listOf(OWN), ...inProcess, ...ofSetting]);
  }

  isDeclared(name: string): boolean {
    return (this.sets.get(Role.SYSTEM_ADMIN) as ReadonlySet<string>).has(name);
  }

  /**
   * The permissions of a built-in role, or of a custom one of that base. A custom role has those of the product that it was
   * given, as far as they count, and of the service's own what its base has: the service's routes go by the base.
   */
  heldBy({ role, given }: Rights): ReadonlySet<string> {
    const ofRole = this.sets.get(role) as ReadonlySet<string>;
    if (given === null) return ofRole;
    const names = this.all.map(({ name }) => name);
    return new Set(
      names.filter((name) =>
        isOwn(name) ? ofRole.has(name) : this.isForRoles(name) && given.includes(name),
      ),
    );
  }

  /** Whether a key may have a permission: one of the operator, or of an organization, which has nothing of the operator's. */
  isForKeys(name: string, orgId: string | null): boolean {
    const permission = this.all.find((each) => each.name === name);
    return permission?.keys === true && (orgId === null || permission.from !== 'operator');
  }

  /** What a key was given, as far as that is still declared, and for keys. */
  ofKey(given: readonly string[], orgId: string | null): string[] {
    return given.filter((name) => this.isForKeys(name, orgId));
  }

  /** Whether a custom role may be given a permission: one of the product's, and not for SYSTEM_ADMINs alone. */
  isForRoles(name: string): boolean {
    return !isOwn(name) && (this.sets.get(Role.ORG_ADMIN) as ReadonlySet<string>).has(name);
  }

  /** Throws InsufficientPermission for the first of some permissions that is not among somebody's. */
  assertHeld(names: readonly string[], rights: Rights): void {
    const held = this.heldBy(rights);
    const missing = names.find((name) => !held.has(name));
    if (missing !== undefined) throw new InsufficientPermission(missing);
  }

  /** @throws OperatorError for a route that asks for a permission that no role, or no key, can have. */
  assertDeclared(routes: readonly AskingRoute[]): void {
    refuse(
      routes.flatMap(({ method, path, permissions, keyPermissions, isPublic, needsStepUp }) => {
        const route = `${method.toUpperCase()} ${path}`;
        const undeclared = permissions.filter((name) => !this.isDeclared(name));
        const notForKeys = keyPermissions.filter((name) => !this.isForKeys(name, null));
        const isClosed = keyPermissions.length > 0 && (isPublic || needsStepUp);
        return [
          ...undeclared.map((name) => `${route} requires ${name}, which is not declared.`),
          ...notForKeys.map((name) => `${route} accepts keys with ${name}, which is not declared for keys.`),
          ...(isClosed ? [`${route} accepts keys, and is public or asks for a recent proof.`] : []),
        ];
      }),
    );
  }
}

const isOwn = (name: string) => name.startsWith(OWN_FAMILY);

function listOf(declarations: PermissionDeclarations): DeclaredPermission[] {
  return Object.entries(declarations).map(([name, declaration]) =>
    declaredPermission({ ...declaration, name }),
  );
}

function namesFrom(role: Role, permissions: readonly DeclaredPermission[]): string[] {
  return permissions
    .filter(({ from }) => isAtLeast(role, from === 'operator' ? Role.SYSTEM_ADMIN : (from as Role)))
    .map(({ name }) => name);
}

function faultOf({ name }: DeclaredPermission, { property, constraints = {} }: ValidationError): string {
  const [message = ''] = Object.values(constraints);
  return `${name}: ${message.startsWith(property) ? message : `${property} ${message}`}.`;
}

function refuse(faults: string[]): void {
  if (faults.length === 0) return;
  throw new OperatorError({
    code: 'PERMISSION_FAULTY',
    severity: 'error',
    text: faults.join('\n'),
    fix: 'Mend what serve() or SVC_PERMISSIONS declares; docs/permissions.md shows how.',
  });
}
