import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { Permissions } from '../access/permissions.js';
import type { NamedRole } from '../accounts/custom-role.entity.js';
import { type CountedRole, CustomRolesRepository } from '../accounts/custom-roles.repository.js';
import type { GivenRole } from '../accounts/memberships.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import type { Actor, Caller } from '../http/caller.js';
import { NotFound, RoleInUse, RoleNameTaken, TooManyRoles, ValidationFailed } from '../http/errors.js';
import { fieldError } from '../http/problem.js';
import { type OrgRole, Role } from '../http/role.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { given } from '../validation/given.js';
import { MAX_PERMISSIONS_OF_ROLE } from '../validation/rules.js';
import type { RoleToGive } from './orgs.dto.js';
import type { MakeRole, UpdateRole } from './roles.dto.js';

const MAX_ROLES = 20;

const BUILT_IN_NAMES: string[] = Object.values(Role);

/** A role that is given to a member or in an invitation, and what it is called where the organization composed it. */
export type ChosenRole = GivenRole & { customRole: NamedRole | null };

/**
 * The roles that an organization composes of the product's permissions. Only who administers the organization makes them, and
 * an ORG_ADMIN holds every permission that a role may be given: nobody gives what they do not hold.
 */
@Injectable()
export class RolesService {
  constructor(
    private readonly roles: CustomRolesRepository,
    private readonly orgs: OrgsRepository,
    private readonly permissions: Permissions,
    private readonly stepUp: StepUpRule,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  /** The roles of an organization, and how many members have each of the built-in ones. Throws NotFound. */
  async list(orgId: string): Promise<{ custom: CountedRole[]; builtIn: Map<OrgRole, number> }> {
    if (!(await this.orgs.exists(orgId))) throw new NotFound();
    return { custom: await this.roles.findOf(orgId), builtIn: await this.roles.countBuiltIn(orgId) };
  }

  /** Throws StepUpRequired, NotFound, ValidationFailed, TooManyRoles and RoleNameTaken. */
  async make(
    caller: Caller,
    orgId: string,
    { name, base, permissions }: MakeRole,
    by: Actor,
  ): Promise<CountedRole> {
    this.assertForRoles(permissions);
    const id = uuidv7();
    return this.change(caller, orgId, by, async (tx) => {
      if ((await this.roles.countOf(orgId, tx)) >= MAX_ROLES) throw new TooManyRoles();
      assertFree(name);
      if (!(await this.roles.insert({ orgId, id, name, base, permissions }, tx))) throw new RoleNameTaken();
      const details = { role_id: id, name, base, permissions: textOf(permissions) };
      await tx.record('custom_role.made', { orgId, details });
      return this.get(orgId, id, tx);
    });
  }

  /** What no longer counts may stay where it is. Throws StepUpRequired, NotFound, ValidationFailed and RoleNameTaken. */
  async update(
    caller: Caller,
    orgId: string,
    id: string,
    { name, permissions }: UpdateRole,
    by: Actor,
  ): Promise<CountedRole> {
    return this.change(caller, orgId, by, async (tx) => {
      const former = await this.get(orgId, id, tx);
      this.assertForRoles(permissions ?? [], former.permissions);
      if (name !== undefined) assertFree(name);
      if (!(await this.roles.update({ orgId, id }, given({ name, permissions }), tx)))
        throw new RoleNameTaken();
      const details = {
        role_id: id,
        ...(name !== undefined && name !== former.name && { name, former_name: former.name }),
        ...(permissions && {
          permissions: textOf(permissions),
          former_permissions: textOf(former.permissions),
        }),
      };
      await tx.record('custom_role.changed', { orgId, details });
      return this.get(orgId, id, tx);
    });
  }

  /** Throws StepUpRequired, NotFound and RoleInUse. */
  async remove(caller: Caller, orgId: string, id: string, by: Actor): Promise<void> {
    await this.change(caller, orgId, by, async (tx) => {
      const { name } = await this.get(orgId, id, tx);
      const use = await this.roles.findUse(orgId, id, tx);
      if (use.members > 0 || use.invitations > 0) throw new RoleInUse(use);
      await this.roles.delete(orgId, id, tx);
      await tx.record('custom_role.removed', { orgId, details: { role_id: id, name } });
    });
  }

  /**
   * The role that a request gives in an organization, which is locked; null where it names none. Throws ValidationFailed where
   * it names two, and NotFound for one that the organization has not.
   */
  async chosen(
    orgId: string,
    { role, role_id: id }: RoleToGive,
    tx?: Transaction,
  ): Promise<ChosenRole | null> {
    if (id === undefined) return role === undefined ? null : { role, roleId: null, customRole: null };
    if (role !== undefined) throw new ValidationFailed([fieldError('role_id', { code: 'not_beside_role' })]);
    const { base, name } = await this.get(orgId, id, tx);
    return { role: base, roleId: id, customRole: { id, name } };
  }

  private async get(orgId: string, id: string, tx?: Transaction): Promise<CountedRole> {
    const role = await this.roles.find(orgId, id, tx);
    if (!role) throw new NotFound();
    return role;
  }

  /**
   * Runs an act on the roles of an organization, under its lock. The thief of a session must not give all members more than
   * they had, hence the recent proof.
   */
  private async change<Result>(
    caller: Caller,
    orgId: string,
    by: Actor,
    act: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    await this.stepUp.assert(caller);
    return this.transactions.run(by, async (tx) => {
      if (!(await this.orgs.lock(orgId, tx))) throw new NotFound();
      await this.authority.assertOrgAdmin(caller.user, orgId, tx);
      return act(tx);
    });
  }

  /** Throws ValidationFailed for a permission that no role may be given, unless the role has it already. */
  private assertForRoles(permissions: readonly string[], kept: readonly string[] = []): void {
    if (permissions.every((each) => this.permissions.isForRoles(each) || kept.includes(each))) return;
    throw new ValidationFailed([
      fieldError('permissions', { code: 'not_for_roles', max: MAX_PERMISSIONS_OF_ROLE }),
    ]);
  }
}

/** Throws RoleNameTaken for the name of a built-in role: in the list of all of them it would seem to be that one. */
function assertFree(name: string): void {
  if (BUILT_IN_NAMES.includes(name.toLowerCase())) throw new RoleNameTaken();
}

const textOf = (permissions: readonly string[]) => permissions.join(' ');
