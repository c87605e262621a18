import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import { hasSecondStep, usableFactors } from '../../factors/factors.js';
import { FactorsRepository } from '../../factors/factors.repository.js';
import { Role } from '../../http/role.js';
import { AccountMails } from '../../mail/account-mails.js';
import { InvitationLinksService } from '../../orgs/invitation-links.service.js';
import type { PendingInvitation } from '../../orgs/invitations.repository.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { SignupsRepository } from '../../signups/signups.repository.js';
import { OneTimeTokens } from '../../tokens/one-time-tokens.js';
import { User } from '../../users/user.entity.js';
import { UsersRepository } from '../../users/users.repository.js';
import { IdentitiesRepository } from '../identities.repository.js';
import { LoginFailure } from './login-failure.js';
import type { Profile } from './profile.js';
import type { Provider } from './providers.js';

/** Finds or makes the account that a login through a provider opens, and accepts the invitation it came with. */
@Injectable()
export class IdpAccountsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly tokens: OneTimeTokens,
    private readonly signups: SignupsRepository,
    private readonly sessions: SessionsService,
    private readonly invitations: InvitationLinksService,
    private readonly factors: FactorsRepository,
    private readonly mails: AccountMails,
    private readonly environment: Environment,
  ) {}

  /**
   * The account of a profile, locked until the transaction ends, in the organization of the invitation that the login
   * came with. A strong provider has asked for a second factor. Throws LoginFailure, which undoes what was done until
   * then.
   */
  async resolve(
    profile: Profile,
    invitationHash: Buffer | null,
    { isStrong }: Pick<Provider, 'isStrong'>,
    tx: Transaction,
  ): Promise<User> {
    // Locked before the user, as everywhere.
    const invitation = invitationHash && (await this.invitations.lock(invitationHash, tx));
    const mayCreate = this.environment.appMode === 'b2c' || invitationHash !== null;
    const user = (await this.find(profile, tx)) ?? (await this.link(profile, mayCreate, tx));
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (invitationHash !== null) {
      if (!isStrong && (await this.awaitsSecondStep(user, tx)))
        throw new LoginFailure('invitation_login_first');
      return this.join(user, invitation, tx);
    }
    // Read again: the password may just have been dropped as unproven.
    return tx.manager.findOneByOrFail(User, { id: user.id });
  }

  /** A user who came to join must not get in without joining, and believe to be a member. */
  private async join(user: User, invitation: PendingInvitation | null, tx: Transaction): Promise<User> {
    if (invitation?.email !== user.email) throw new LoginFailure('invitation_invalid');
    if (user.orgId !== null) throw new LoginFailure('invitation_conflict');
    return (await this.invitations.join(user, invitation, tx.as({ userId: user.id }))).member;
  }

  /**
   * Whether a user has yet to prove a factor of theirs. Otherwise a stranger who reads the user's mail, and administers
   * the organization, could have the account join it, and then reset the factor as an admin.
   */
  private async awaitsSecondStep({ id }: User, tx: Transaction): Promise<boolean> {
    const factors = await this.factors.findOf(id, tx);
    return hasSecondStep(factors) && usableFactors(factors).length > 0;
  }

  /** The account that a subject is linked to. Returns null when there is none. */
  private find({ issuer, subject }: Profile, tx: Transaction): Promise<User | null> {
    return this.identities.findUser(issuer, subject, tx);
  }

  /**
   * Links a subject to the account of its verified address. Makes the account if there is none and `mayCreate`: in a
   * B2B deployment only an invitation makes one, and one that cannot be accepted undoes it again. A mail tells the
   * owner of an account that was there before.
   */
  private async link(profile: Profile, mayCreate: boolean, tx: Transaction): Promise<User> {
    const { issuer: provider, subject, verifiedEmail: email, name } = profile;
    if (email === null) throw new LoginFailure('email_not_verified');

    const wasCreated = mayCreate && (await this.create(email, name, tx));
    const user = await this.users.lockByEmail(email, tx);
    // Where an account may be made and was not, the address is held for the one that had it until lately.
    if (!user) throw new LoginFailure(mayCreate ? 'account_conflict' : 'invitation_required');
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (!user.emailVerifiedAt) await this.dropWhatIsUnproven(user, tx);
    await this.signups.endAllOf(email, tx);

    const identity = { id: uuidv7(), userId: user.id, provider, subject, email };
    if (await this.identities.insert(identity, tx)) {
      if (!wasCreated) await this.mails.identityLinked(user, tx);
      const { id: userId, orgId } = user;
      await tx.record(wasCreated ? 'account.created' : 'identity.linked', { userId, orgId });
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

  /** The person who set the password never proved the address: it goes, and everything it could have opened. */
  private async dropWhatIsUnproven({ id }: User, tx: Transaction): Promise<void> {
    await this.users.setPasswordOfProven(id, null, tx);
    await this.sessions.endAll(id, tx);
    await this.tokens.revoke(id, 'reset-password', tx);
  }
}
