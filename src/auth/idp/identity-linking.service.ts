import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Audit } from '../../audit/audit.js';
import { Environment } from '../../config/environment.js';
import type { Actor } from '../../http/caller.js';
import { Role } from '../../http/role.js';
import { AccountMails } from '../../mail/account-mails.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { SignupsRepository } from '../../signups/signups.repository.js';
import { OneTimeTokens } from '../../tokens/one-time-tokens.js';
import type { User } from '../../users/user.entity.js';
import { UsersRepository } from '../../users/users.repository.js';
import { IdentitiesRepository } from './identities.repository.js';
import { LoginFailure } from './login-failure.js';
import type { Profile } from './profile.js';

/** Links a subject of the provider to the account of its address. */
@Injectable()
export class IdentityLinkingService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly tokens: OneTimeTokens,
    private readonly signups: SignupsRepository,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMails,
    private readonly environment: Environment,
    private readonly audit: Audit,
  ) {}

  /** The account a subject is linked to. Returns null when there is none. */
  find({ subject }: Profile, manager: EntityManager): Promise<User | null> {
    return this.identities.findUser(this.environment.idpIssuer, subject, manager);
  }

  /**
   * Links a subject to the account of its verified address. Makes the account if there is none and `mayCreate`; tells
   * the owner of one that was there before. Throws LoginFailure.
   */
  async link(profile: Profile, mayCreate: boolean, by: Actor, manager: EntityManager): Promise<User> {
    const { subject, verifiedEmail: email, name } = profile;
    if (email === null) throw new LoginFailure('email_not_verified');

    const wasCreated = mayCreate && (await this.create(email, name, manager));
    const user = await this.users.lockByEmail(email, manager);
    if (!user) throw new LoginFailure('invitation_required');
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (!user.emailVerifiedAt) await this.dropWhatIsUnproven(user, manager);
    await this.signups.endAllOf(email, manager);

    const identity = { id: uuidv7(), userId: user.id, provider: this.environment.idpIssuer, subject, email };
    if (await this.identities.insert(identity, manager)) {
      if (!wasCreated) await this.mails.identityLinked(user, manager);
      const type = wasCreated ? 'account.created' : 'identity.linked';
      await this.audit.record({ type, by, userId: user.id, orgId: user.orgId }, manager);
      return user;
    }

    // Another login has linked it at the same moment; otherwise the address has passed to another subject.
    const known = await this.find(profile, manager);
    if (known?.id !== user.id) throw new LoginFailure('account_conflict');
    return user;
  }

  /** Makes the account of an address. Returns false when it has one. */
  private async create(email: string, name: string | null, manager: EntityManager): Promise<boolean> {
    const user = { id: uuidv7(), email, name, role: Role.MEMBER, passwordHash: null };
    const wasCreated = await this.users.insert(user, manager);
    if (wasCreated) await this.users.markVerified(user.id, manager);
    return wasCreated;
  }

  /** Whoever set the password never proved the address: it goes, and with it everything it could have opened. */
  private async dropWhatIsUnproven({ id }: User, manager: EntityManager): Promise<void> {
    await this.users.setPasswordOfProven(id, null, manager);
    await this.sessions.endAll(id, manager);
    await this.tokens.revoke(id, 'reset-password', manager);
  }
}
