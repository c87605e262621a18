import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
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
  ) {}

  /** The account a subject is linked to. Returns null when there is none. */
  find({ subject }: Profile, tx: Transaction): Promise<User | null> {
    return this.identities.findUser(this.environment.idpIssuer, subject, tx);
  }

  /**
   * Links a subject to the account of its verified address. Makes the account if there is none and `mayCreate`; tells
   * the owner of one that was there before. Throws LoginFailure.
   */
  async link(profile: Profile, mayCreate: boolean, tx: Transaction): Promise<User> {
    const { subject, verifiedEmail: email, name } = profile;
    if (email === null) throw new LoginFailure('email_not_verified');

    const wasCreated = mayCreate && (await this.create(email, name, tx));
    const user = await this.users.lockByEmail(email, tx);
    if (!user) throw new LoginFailure('invitation_required');
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (!user.emailVerifiedAt) await this.dropWhatIsUnproven(user, tx);
    await this.signups.endAllOf(email, tx);

    const identity = { id: uuidv7(), userId: user.id, provider: this.environment.idpIssuer, subject, email };
    if (await this.identities.insert(identity, tx)) {
      if (!wasCreated) await this.mails.identityLinked(user, tx);
      const type = wasCreated ? 'account.created' : 'identity.linked';
      await tx.record(type, { userId: user.id, orgId: user.orgId });
      return user;
    }

    // Another login has linked it at the same moment; otherwise the address has passed to another subject.
    const known = await this.find(profile, tx);
    if (known?.id !== user.id) throw new LoginFailure('account_conflict');
    return user;
  }

  /** Makes the account of an address. Returns false when it has one. */
  private async create(email: string, name: string | null, tx: Transaction): Promise<boolean> {
    const user = { id: uuidv7(), email, name, role: Role.MEMBER, passwordHash: null };
    const wasCreated = await this.users.insert(user, tx);
    if (wasCreated) await this.users.markVerified(user.id, tx);
    return wasCreated;
  }

  /** Whoever set the password never proved the address: it goes, and with it everything it could have opened. */
  private async dropWhatIsUnproven({ id }: User, tx: Transaction): Promise<void> {
    await this.users.setPasswordOfProven(id, null, tx);
    await this.sessions.endAll(id, tx);
    await this.tokens.revoke(id, 'reset-password', tx);
  }
}
