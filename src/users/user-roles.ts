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
    if (this.environment.orgsPerUser === 1 && isInTheOnlyOne) {
      const former = memberships.map((each) => formerRoleId(each, role, memberships))[0] ?? null;
      return recordChange({ userId, orgId }, formerRole, role, former, tx);
    }

    await recordChange({ userId }, formerOwnRole, ownRoleOf(role), null, tx);
    for (const each of memberships) {
      const former = formerRoleId(each, role, memberships);
      const about = { userId, orgId: each.orgId };
      await recordChange(about, each.role, roleThere(each, role, memberships), former, tx);
    }
  }
}

/**
 * The role in an organization of a user whom a SYSTEM_ADMIN gives one: READONLY binds in all, another in the only one that has
 * not suspended them.
 */
function roleThere(membership: MembershipOfUser, given: Role, memberships: MembershipOfUser[]): Role {
  return binds(membership, given, memberships) ? given : membership.role;
}

/** The custom role that a membership loses; null where it has none, or keeps it. */
function formerRoleId(
  membership: MembershipOfUser,
  given: Role,
  memberships: MembershipOfUser[],
): string | null {
  return binds(membership, given, memberships) ? membership.roleId : null;
}

function binds(membership: MembershipOfUser, given: Role, memberships: MembershipOfUser[]): boolean {
  const active = activeOf(memberships);
  const isOnly = active.length === 1 && active[0] === membership;
  return given !== Role.SYSTEM_ADMIN && (given === Role.READONLY || isOnly);
}

async function recordChange(
  about: About,
  from: Role,
  to: Role,
  formerId: string | null,
  tx: Transaction,
): Promise<void> {
  if (from === to && formerId === null) return;
  const details = { from, to, ...(formerId !== null && { former_role_id: formerId }) };
  await tx.record('role.changed', { ...about, details });
}
