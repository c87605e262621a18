import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../audit/audit.js';
import { Environment } from '../../config/environment.js';
import { InvitationsService } from '../../orgs/invitations.service.js';
import { OrgsService } from '../../orgs/orgs.service.js';
import { User } from '../../users/user.entity.js';
import { IdentityLinkingService } from './identity-linking.service.js';
import { LoginFailure } from './login-failure.js';
import type { Profile } from './profile.js';

/** Finds or makes the account that a login through the provider opens, and takes up the invitation it came with. */
@Injectable()
export class IdpAccountsService {
  constructor(
    private readonly linking: IdentityLinkingService,
    private readonly invitations: InvitationsService,
    private readonly orgs: OrgsService,
    private readonly environment: Environment,
  ) {}

  /**
   * The account of a profile, and of the invitation it came with, which nobody else changes until the transaction
   * ends. Throws LoginFailure.
   */
  async resolve(
    profile: Profile,
    invitation: Buffer | null,
    by: Actor,
    manager: EntityManager,
  ): Promise<User> {
    if (invitation !== null) await this.invitations.holdOrganization(invitation, manager);
    const known = await this.linking.find(profile, manager);
    const user = known ?? (await this.join(profile, invitation, by, manager));
    if (user.disabledAt) throw new LoginFailure('account_disabled');

    if (invitation !== null) await this.accept(invitation, user, profile, by, manager);
    return manager.findOneByOrFail(User, { id: user.id });
  }

  /** In a B2B deployment only an invitation makes an account. */
  private async join(
    profile: Profile,
    invitation: Buffer | null,
    by: Actor,
    manager: EntityManager,
  ): Promise<User> {
    const mayCreate =
      this.environment.appMode === 'b2c' || (await this.isInvited(profile, invitation, manager));
    return this.linking.link(profile, mayCreate, by, manager);
  }

  private async isInvited(
    { verifiedEmail }: Profile,
    invitation: Buffer | null,
    manager: EntityManager,
  ): Promise<boolean> {
    if (invitation === null || verifiedEmail === null) return false;
    return this.invitations.isPending(invitation, verifiedEmail, manager);
  }

  /** Joins the organization, if the user belongs to none and the account's address is the proven one. */
  private async accept(
    invitation: Buffer,
    user: User,
    { verifiedEmail }: Profile,
    by: Actor,
    manager: EntityManager,
  ): Promise<void> {
    if (user.email !== verifiedEmail || user.orgId !== null) return;
    const accepted = await this.invitations.accept(invitation, verifiedEmail, manager);
    if (accepted) await this.orgs.join(user, accepted, { ...by, userId: user.id }, manager);
  }
}
