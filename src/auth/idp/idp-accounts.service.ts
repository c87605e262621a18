import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../access/role.js';
import { type Actor, Audit } from '../../audit/audit.js';
import { AlignmentService } from '../../billing/alignment.service.js';
import { Environment } from '../../config/environment.js';
import { Messages } from '../../mail/messages.js';
import { Outbox } from '../../mail/outbox.js';
import { InvitationsService } from '../../orgs/invitations.service.js';
import { OrgsService } from '../../orgs/orgs.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { User } from '../../users/user.entity.js';
import { UsersRepository } from '../../users/users.repository.js';
import { OneTimeTokens } from '../one-time-tokens.js';
import { IdentitiesRepository } from './identities.repository.js';
import { LoginFailure } from './login-failure.js';
import type { Profile } from './profile.js';

/** Finds, joins or makes the account of a provider's subject. */
@Injectable()
export class IdpAccountsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly invitations: InvitationsService,
    private readonly orgs: OrgsService,
    private readonly tokens: OneTimeTokens,
    private readonly sessions: SessionsService,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
    private readonly alignment: AlignmentService,
    private readonly environment: Environment,
    private readonly database: DataSource,
    private readonly audit: Audit,
  ) {}

  /** The account of a profile, and of the invitation it came with, all or nothing. Throws LoginFailure. */
  async resolve(profile: Profile, invitation: Buffer | null, by: Actor): Promise<User> {
    const resolved = await this.database.transaction(async (manager) => {
      if (invitation !== null) await this.invitations.holdOrganization(invitation, manager);
      const known = await this.findKnown(profile, manager);
      const user = known ?? (await this.join(profile, invitation, by, manager));
      if (user.disabledAt) throw new LoginFailure('account_disabled');

      await this.acceptInvitation(user, profile, invitation, by, manager);
      return manager.findOneByOrFail(User, { id: user.id });
    });

    const { orgId } = resolved;
    if (invitation !== null && orgId !== null) this.alignment.follow({ orgId });
    return resolved;
  }

  private findKnown({ subject }: Profile, manager: EntityManager): Promise<User | null> {
    return this.identities.findUser(this.environment.idpIssuer, subject, manager);
  }

  /**
   * The account of the verified address, made if there is none, with the identity linked to it; the owner of one
   * there was is told.
   */
  private async join(
    profile: Profile,
    invitation: Buffer | null,
    by: Actor,
    manager: EntityManager,
  ): Promise<User> {
    const { subject, verifiedEmail: email } = profile;
    if (email === null) throw new LoginFailure('email_not_verified');

    const wasCreated = await this.create(email, profile, invitation, manager);
    const user = await this.users.lockByEmail(email, manager);
    if (!user) throw new LoginFailure('invitation_required');
    if (user.disabledAt) throw new LoginFailure('account_disabled');
    if (!user.emailVerifiedAt) await this.dropWhatIsUnproven(user, manager);

    const identity = { id: uuidv7(), userId: user.id, provider: this.environment.idpIssuer, subject, email };
    if (await this.identities.insert(identity, manager)) {
      if (!wasCreated) await this.tell(user, manager);
      const type = wasCreated ? 'account.created' : 'identity.linked';
      await this.audit.record({ type, by, userId: user.id, orgId: user.orgId }, manager);
      return user;
    }

    // Another login has linked it at the same moment; otherwise the address has passed to another subject.
    const known = await this.findKnown(profile, manager);
    if (known?.id !== user.id) throw new LoginFailure('account_conflict');
    return user;
  }

  private async tell({ id, email }: User, manager: EntityManager): Promise<void> {
    const alarm = await this.tokens.issueToSecure(id, email, manager);
    await this.outbox.post(this.messages.identityLinked(alarm), manager);
  }

  /** Makes an account for the address, if it has none and may have one. */
  private async create(
    email: string,
    { name }: Profile,
    invitation: Buffer | null,
    manager: EntityManager,
  ): Promise<boolean> {
    const isOpen = this.environment.appMode === 'b2c' || (await this.isInvited(email, invitation, manager));
    if (!isOpen) return false;

    const user = { id: uuidv7(), email, name, role: Role.MEMBER, passwordHash: null };
    const wasCreated = await this.users.insert(user, manager);
    if (wasCreated) await this.users.markVerified(user.id, manager);
    return wasCreated;
  }

  /** Whoever set the password never proved the address: it goes, and with it everything it could have opened. */
  private async dropWhatIsUnproven({ id }: User, manager: EntityManager): Promise<void> {
    await this.users.dropPassword(id, manager);
    await this.users.markVerified(id, manager);
    await this.sessions.endAll(id, manager);
    await this.tokens.revoke(id, 'verify-email', manager);
    await this.tokens.revoke(id, 'reset-password', manager);
  }

  private async isInvited(
    email: string,
    invitation: Buffer | null,
    manager: EntityManager,
  ): Promise<boolean> {
    return invitation !== null && (await this.invitations.isPending(invitation, email, manager));
  }

  /**
   * Joins the organization of the invitation, if the user belongs to none and the account's address is the proven
   * one.
   */
  private async acceptInvitation(
    user: User,
    { verifiedEmail }: Profile,
    invitation: Buffer | null,
    by: Actor,
    manager: EntityManager,
  ): Promise<void> {
    if (invitation === null || user.email !== verifiedEmail || user.orgId !== null) return;
    const accepted = await this.invitations.accept(invitation, verifiedEmail, manager);
    if (accepted) await this.orgs.join(user, accepted, { ...by, userId: user.id }, manager);
  }
}
