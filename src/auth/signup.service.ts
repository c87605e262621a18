import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Role } from '../access/role.js';
import { type Actor, Audit } from '../audit/audit.js';
import { Limits } from '../limits/limits.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import { OrgsService } from '../orgs/orgs.service.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import { UsersRepository } from '../users/users.repository.js';
import type { Signup, SignupOrg } from './auth.dto.js';
import { OneTimeTokens } from './one-time-tokens.js';

/** Makes accounts. The answer is the same for an address that has one, whose owner is told by mail. */
@Injectable()
export class SignupService {
  constructor(
    private readonly users: UsersRepository,
    private readonly orgs: OrgsService,
    private readonly tokens: OneTimeTokens,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly limits: Limits,
    private readonly database: DataSource,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
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
    complete: (userId: string, manager: EntityManager) => Promise<void> = async () => {},
  ): Promise<void> {
    this.policy.refuseWeak('password', password, { email, name });
    await this.limits.take('mailPerAddress', `signup ${email}`);
    const passwordHash = await this.passwords.hash(password);

    await this.database.transaction(async (manager) => {
      const user = { id: uuidv7(), email, name, role: Role.MEMBER, passwordHash };
      const isNew = await this.users.insert(user, manager);
      if (isNew) await complete(user.id, manager);
      const issued = isNew ? await this.tokens.issue(email, 'verify-email', manager) : null;
      const mail = issued ? this.messages.verification(issued) : this.messages.alreadyRegistered(email);
      await this.outbox.post(mail, manager);
      const userId = isNew ? user.id : null;
      await this.audit.record({ type: 'account.created', by, userId }, manager);
    });
  }
}
