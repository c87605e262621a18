import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { hasSecondStep, usableFactors } from '../../accounts/factors.js';
import { FactorsRepository } from '../../accounts/factors.repository.js';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import type { PendingInvitation } from '../../accounts/invitations.repository.js';
import type { NewIdentity } from '../../accounts/pending-login.entity.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import { AlreadyInOrganization, AlreadyMember, TooManyOrganizations } from '../../http/errors.js';
import { Role } from '../../http/role.js';
import { InvitationLinksService } from '../../orgs/invitation-links.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { Languages } from '../../words/languages.js';
import { ProvenAddresses } from '../login/proven-addresses.js';
import { LoginFailure } from './login-flows.js';
import type { Profile } from './profile.js';
import type { Provider } from './providers.js';

/** Why an account cannot join the organization of an invitation. */
const CONFLICTS = [AlreadyMember, AlreadyInOrganization, TooManyOrganizations];

/** The account that a login reaches, locked until the transaction ends. */
interface ReachedAccount {
  user: User;
  /** What the login has yet to link. Null when it was linked before, or made the account. */
  newIdentity: NewIdentity | null;
}

/** Finds or makes the account that a login through a provider opens, and accepts the invitation it came with. */
@Injectable()
export class IdpAccountsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly addresses: ProvenAddresses,
    private readonly sessions: SessionsService,
    private readonly invitations: InvitationLinksService,
    private readonly factors: FactorsRepository,
    private readonly environment: Environment,
    private readonly languages: Languages,
  ) {}

  /**
   * The account of a profile, in the organization of the invitation that the login came with. A strong provider has asked
   * the owner of the identity for a second factor. Throws LoginFailure, which undoes what was done until then.
   */
  async resolve(
    profile: Profile,
    { invitationHash, formerSession }: { invitationHash: Buffer | null; formerSession: string | null },
    { isStrong }: Pick<Provider, 'isStrong'>,
    tx: Transaction,
  ): Promise<ReachedAccount> {
    // Locked before the user, as everywhere.
    const invitation = invitationHash && (await this.invitations.lock(invitationHash, tx));
    const mayCreate = this.environment.appMode === 'b2c' || invitationHash !== null;
    const { user, newIdentity } =
      (await this.find(profile, tx)) ?? (await this.findOrMake(profile, mayCreate, formerSession, tx));
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (invitationHash !== null) {
      const isComplete = isStrong && newIdentity === null;
      if (!isComplete && (await this.awaitsSecondStep(user, tx)))
        throw new LoginFailure('invitation_login_first');
      return { user: await this.join(user, invitation, tx), newIdentity };
    }
    // Read again: the password may just have been dropped as unproven.
    return { user: await this.users.get(user.id, tx), newIdentity };
  }

  /** A user who came to join must not get in without joining, and believe to be a member. */
  private async join(user: User, invitation: PendingInvitation | null, tx: Transaction): Promise<User> {
    if (invitation?.email !== user.email) throw new LoginFailure('invitation_invalid');
    try {
      return await this.invitations.join(user, invitation, tx.as({ userId: user.id }));
    } catch (error) {
      const cannotJoin = CONFLICTS.some((Conflict) => error instanceof Conflict);
      throw cannotJoin ? new LoginFailure('invitation_conflict') : error;
    }
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
  private async find({ issuer, subject }: Profile, tx: Transaction): Promise<ReachedAccount | null> {
    const user = await this.identities.findUser(issuer, subject, tx);
    return user && { user, newIdentity: null };
  }

  /**
   * The account of the verified address. Makes it, with the identity, if there is none and `mayCreate`: in a B2B
   * deployment only an invitation makes one, and one that cannot be accepted undoes it again.
   */
  private async findOrMake(
    profile: Profile,
    mayCreate: boolean,
    formerSession: string | null,
    tx: Transaction,
  ): Promise<ReachedAccount> {
    const { issuer, subject, verifiedEmail: email, name } = profile;
    if (email === null) throw new LoginFailure('email_not_verified');

    const wasCreated = mayCreate && (await this.create(email, name, tx));
    const user = await this.users.lockByEmail(email, tx);
    // Where an account may be made and was not, the address is held for the account that had it until lately.
    if (!user) throw new LoginFailure(mayCreate ? 'account_conflict' : 'invitation_required');
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (!wasCreated) {
      // Another login may have linked it while this one waited for the account.
      const known = await this.find(profile, tx);
      if (known) return known;
      await this.assertMayLink(user, profile, formerSession, tx);
    }
    await this.addresses.accept(user, tx);
    if (!wasCreated) return { user, newIdentity: { issuer, subject, email } };

    const identity = { id: uuidv7(), userId: user.id, provider: issuer, subject, email };
    if (!(await this.identities.insert(identity, tx))) throw new LoginFailure('account_conflict');
    await tx.record('account.created', { userId: user.id, orgId: user.orgId });
    return { user, newIdentity: null };
  }

  /**
   * Throws LoginFailure when the address has passed to another subject of the provider, and for an identity that was
   * removed from the account: the address alone must not bring it back. A login that its owner began while logged in,
   * with a recent proof, brings it back on purpose.
   */
  private async assertMayLink(
    { id: userId }: User,
    { issuer: provider, subject }: Profile,
    formerSession: string | null,
    tx: Transaction,
  ): Promise<void> {
    if (await this.identities.isAt(provider, userId, tx)) throw new LoginFailure('account_conflict');
    if (!(await this.identities.wasRemoved({ userId, provider, subject }, tx))) return;
    const isOnPurpose = formerSession !== null && (await this.sessions.isRecent(formerSession, userId, tx));
    if (!isOnPurpose) throw new LoginFailure('account_conflict');
  }

  /** Makes the account of an address. Returns false when it has one. */
  private async create(email: string, name: string | null, tx: Transaction): Promise<boolean> {
    const locale = this.languages.keep(tx.by.languages);
    const user = { id: uuidv7(), email, name, locale, timeZone: null, role: Role.MEMBER, passwordHash: null };
    return (await this.users.insertVerified(user, tx)) !== null;
  }
}
