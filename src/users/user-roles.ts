import { Injectable } from '@nestjs/common';
import {
  activeOf,
  type MembershipOfUser,
  MembershipsRepository,
} from '../accounts/memberships.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import type { About, Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { ValidationFailed } from '../http/errors.js';
import { fieldError } from '../http/problem.js';
import { ownRoleOf, Role } from '../http/role.js';
import { AdminMails } from './admin-mails.js';
import { administers, LastAdmins } from './last-admins.js';
import { MembershipMails } from './membership-mails.js';

/** Gives users the roles that a SYSTEM_ADMIN chooses for them: the own role, and those in organizations that it binds in. */
@Injectable()
export class UserRoles {
  constructor(
    private readonly users: UsersRepository,
    private readonly memberships: MembershipsRepository,
    private readonly lastAdmins: LastAdmins,
    private readonly mails: MembershipMails,
    private readonly adminMails: AdminMails,
    private readonly environment: Environment,
  ) {}

  /** The user and the organizations are locked. Throws ValidationFailed and LastOrgAdmin. */
  async give(user: User, role: Role, tx: Transaction): Promise<void> {
    if (role === Role.ORG_ADMIN && user.orgId === null)
      throw new ValidationFailed([fieldError('role', { code: 'not_for_organization' })]);

    const memberships = await this.memberships.findOf(user.id, tx);
    await this.assertReplaceable(user, role, memberships, tx);
    // A stranger who set the password of an account that never proved its address must not rise with it.
    if (role !== user.role && user.emailVerifiedAt === null) await this.users.dropPassword(user.id, tx);
    await this.record(user, role, memberships, tx);
    await this.mails.roleLowered(user, user.role, role, tx);
    await this.adminMails.roleRaised(user, user.role, role, tx);
    await this.users.setRole(user.id, role, tx);
  }

  /** Throws LastOrgAdmin where another role would leave an organization of a user without an admin. */
  private async assertReplaceable(
    user: User,
    role: Role,
    memberships: MembershipOfUser[],
    tx: Transaction,
  ): Promise<void> {
    const left = activeOf(memberships).filter(
      (each) =>
        administers(user.ownRole, each.role) && !administers(role, roleThere(each, role, memberships)),
    );
    await this.lastAdmins.assertOtherAdmins(
      user,
      left.map(({ orgId }) => orgId),
      tx,
    );
  }

  /**
   * Where users can belong to several organizations, the own role is recorded in none, and each role in an organization that
   * changes in that one: an organization learns what happens to its member there, and nothing else.
   */
  private async record(
    { id: userId, orgId, role: formerRole, ownRole: formerOwnRole }: User,
    role: Role,
    memberships: MembershipOfUser[],
    tx: Transaction,
  ): Promise<void> {
    const isInTheOnlyOne = memberships.every(({ orgId: each }) => each === orgId);
    if (this.environment.orgsPerUser === 1 && isInTheOnlyOne)
      return recordChange({ userId, orgId }, formerRole, role, tx);

    await recordChange({ userId }, formerOwnRole, ownRoleOf(role), tx);
    for (const each of memberships)
      await recordChange({ userId, orgId: each.orgId }, each.role, roleThere(each, role, memberships), tx);
  }
}

/**
 * The role in an organization of a user whom a SYSTEM_ADMIN gives one: READONLY binds in all, another in the only one that has
 * not suspended them.
 */
function roleThere(membership: MembershipOfUser, given: Role, memberships: MembershipOfUser[]): Role {
  const active = activeOf(memberships);
  const isOnly = active.length === 1 && active[0] === membership;
  const binds = given === Role.READONLY || isOnly;
  return binds && given !== Role.SYSTEM_ADMIN ? given : membership.role;
}

async function recordChange(about: About, from: Role, to: Role, tx: Transaction): Promise<void> {
  if (from !== to) await tx.record('role.changed', { ...about, details: { from, to } });
}
