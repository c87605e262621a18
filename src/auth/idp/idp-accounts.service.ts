import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../audit/transactions.js';
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
   * The account of a profile, in the organization of the invitation it came with, which nobody else changes until the
   * transaction ends. Throws LoginFailure, which undoes what was done until then.
   */
  async resolve(profile: Profile, invitation: Buffer | null, tx: Transaction): Promise<User> {
    if (invitation !== null) await this.invitations.holdOrganization(invitation, tx);
    const known = await this.linking.find(profile, tx);
    const user = known ?? (await this.linking.link(profile, this.mayCreate(invitation), tx));
    if (user.disabledAt) throw new LoginFailure('account_disabled');

    if (invitation !== null) await this.accept(invitation, user, tx);
    return tx.manager.findOneByOrFail(User, { id: user.id });
  }

  /** In a B2B deployment only an invitation makes an account: one that cannot be taken undoes it again. */
  private mayCreate(invitation: Buffer | null): boolean {
    return this.environment.appMode === 'b2c' || invitation !== null;
  }

  /** Joins the organization. A user who came for that must not land outside of it and believe to be a member. */
  private async accept(invitation: Buffer, user: User, tx: Transaction): Promise<void> {
    const accepted = await this.invitations.accept(invitation, user.email, tx);
    if (!accepted) throw new LoginFailure('invitation_invalid');
    if (user.orgId !== null) throw new LoginFailure('invitation_conflict');
    await this.orgs.join(user, accepted, tx.as({ userId: user.id }));
  }
}
