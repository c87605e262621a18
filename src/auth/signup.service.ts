import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Role } from '../access/role.js';
import { type Actor, Audit } from '../audit/audit.js';
import { Limits } from '../limits/limits.js';
import { OrgsService } from '../orgs/orgs.service.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import { type NewUser, UsersRepository } from '../users/users.repository.js';
import type { Signup, SignupOrg } from './auth.dto.js';
import { LinkRequests } from './link-requests.js';

/** Makes what belongs to a new account. */
type Completion = (userId: string, manager: EntityManager) => Promise<void>;

/** Makes accounts. For an address that has one already, the answer is the same, and its owner is told by mail. */
@Injectable()
export class SignupService {
  constructor(
    private readonly users: UsersRepository,
    private readonly orgs: OrgsService,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly limits: Limits,
    private readonly database: DataSource,
    private readonly requests: LinkRequests,
    private readonly audit: Audit,
  ) {}

  /** Signs up a member without an organization. */
  signup(signup: Signup, by: Actor): Promise<void> {
    return this.register(signup, by);
  }

  /** Signs up an organization with its admin: both, or neither. */
  signupOrg(signup: SignupOrg, by: Actor): Promise<void> {
    return this.register(signup, by, (userId, manager) =>
      this.orgs.found(signup.org_name, userId, by, manager),
    );
  }

  private async register(
    { email, password, name = null }: Signup,
    by: Actor,
    complete: Completion = async () => {},
  ): Promise<void> {
    this.policy.refuseWeak('password', password, { email, name });
    await this.limits.take('mailPerAddress', email);
    const passwordHash = await this.passwords.hash(password, by);

    await this.database.transaction(async (manager) => {
      const user = { id: uuidv7(), email, name, role: Role.MEMBER, passwordHash };
      const isNew = await this.make(user, complete, manager);
      await this.requests.note(email, isNew ? 'verify-email' : 'sign-up-again', by, manager);
      const type = isNew ? 'account.created' : 'account.signed_up_again';
      await this.audit.record({ type, by, userId: isNew ? user.id : null }, manager);
    });
  }

  /**
   * Makes an account and what belongs to it. If the address has one already, the same is made for an address that
   * nobody has, and undone, so that the database takes equally long. Returns whether the account is new.
   */
  private async make(user: NewUser, complete: Completion, manager: EntityManager): Promise<boolean> {
    await manager.query('SAVEPOINT signup');
    const isNew = await this.users.insertOrDecoy(user, manager);
    // Where the address was taken at this moment there is no user to complete.
    await complete(user.id, manager).catch((error) => {
      if (isNew) throw error;
    });
    await manager.query(isNew ? 'RELEASE SAVEPOINT signup' : 'ROLLBACK TO SAVEPOINT signup');
    return isNew;
  }
}
