import type { INestApplicationContext } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { Transactions } from '../audit/transactions.js';
import { freshAddress } from '../client/testing.js';
import { THE_SERVICE } from '../http/caller.js';
import { Role } from '../http/role.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { type SeededUser, TestUser } from './test-user.js';

const PASSWORD = 'correct horse battery staple';

/** What a user is to be like; whatever is left out is chosen. */
export interface UserToSeed {
  role?: `${Role}`;
  /** The name of an organization, which is made where no user has named it yet, or its id. */
  org?: string | { id: string };
  /** `totp` for an authenticator app. */
  factor?: 'totp';
  email?: string;
  name?: string;
  password?: string;
}

/** Makes users and organizations past the API: no mail, and no link to open. */
export class Seed {
  private readonly orgs = new Map<string, Promise<string>>();

  constructor(
    private readonly service: INestApplicationContext,
    private readonly url: string,
  ) {}

  /** An organization without members. */
  async org(name = 'Initech'): Promise<{ id: string; name: string }> {
    const org = { id: uuidv7(), name, locale: null };
    await this.service.get(Transactions).run(THE_SERVICE, async (tx) => {
      await this.service.get(OrgsRepository).insert(org, tx);
      await tx.record('org.created', { orgId: org.id });
    });
    return org;
  }

  /**
   * A user who is logged in. An ORG_ADMIN gets an organization where none is named; READONLY and MEMBER have one only
   * where it is named.
   */
  async user(wanted: UserToSeed = {}): Promise<TestUser> {
    const user = new TestUser(this.url, await this.insert(wanted));
    await user.logIn();
    if (wanted.factor === 'totp') await user.addApp();
    await this.giveRole(user, wanted.role);
    return user;
  }

  private async insert({
    email = freshAddress(),
    password = PASSWORD,
    name,
    org,
    role,
  }: UserToSeed): Promise<SeededUser> {
    const users = this.service.get(UsersRepository);
    const orgId = await this.orgIdOf(org, role);
    const passwordHash = await this.service.get(PasswordHasher).hash(password, { ip: null });
    const made = {
      id: uuidv7(),
      email,
      name: name ?? null,
      locale: null,
      timeZone: null,
      passwordHash,
    };

    await this.service.get(Transactions).run(THE_SERVICE, async (tx) => {
      if (!(await users.insertVerified(made, tx))) throw new Error(`${email} has an account already.`);
      await tx.record('account.created', { userId: made.id });
      if (orgId === null) return;
      await this.service
        .get(MembershipsRepository)
        .add(made.id, orgId, { role: Role.MEMBER, roleId: null }, 'invitation', tx);
      await tx.record('member.joined', { userId: made.id, orgId, details: { role: Role.MEMBER } });
    });
    return { id: made.id, email, password, orgId };
  }

  private async orgIdOf(org: UserToSeed['org'], role: UserToSeed['role']): Promise<string | null> {
    if (typeof org === 'object') return org.id;
    if (org === undefined) return role === Role.ORG_ADMIN ? (await this.org()).id : null;
    const made = this.orgs.get(org) ?? this.org(org).then(({ id }) => id);
    this.orgs.set(org, made);
    return made;
  }

  /** Last of all: a role may require a second factor, which the user then has. */
  private async giveRole({ id, org_id: orgId }: TestUser, wanted: UserToSeed['role']): Promise<void> {
    const role = (wanted ?? Role.MEMBER) as Role;
    if (role === Role.MEMBER) return;
    await this.service.get(Transactions).run(THE_SERVICE, async (tx) => {
      if (orgId !== null && role === Role.ORG_ADMIN)
        await this.service.get(MembershipsRepository).setRole(orgId, id, { role, roleId: null }, tx);
      else await this.service.get(UsersRepository).setRole(id, role, tx);
    });
  }
}
