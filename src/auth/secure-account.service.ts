import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/audit.js';
import type { Actor } from '../http/caller.js';
import { InvalidToken } from '../http/errors.js';
import { AccountMails } from '../mail/account-mails.js';
import { InvitationsService } from '../orgs/invitations.service.js';
import { hashToken } from '../secrets/token.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SignupsRepository } from '../signups/signups.repository.js';
import type { Purpose } from '../tokens/one-time-token.entity.js';
import { OneTimeTokens } from '../tokens/one-time-tokens.js';
import { AdminNews } from '../users/admin-news.js';
import { UsersRepository } from '../users/users.repository.js';
import { DevicesService } from './devices.service.js';
import { EmailChangeService } from './email-change.service.js';

const PURPOSES: Purpose[] = ['secure-account'];

/** Gives an account back to whoever reads its mail, after somebody else was in it. */
@Injectable()
export class SecureAccountService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly emailChanges: EmailChangeService,
    private readonly sessions: SessionsService,
    private readonly devices: DevicesService,
    private readonly signups: SignupsRepository,
    private readonly invitations: InvitationsService,
    private readonly news: AdminNews,
    private readonly database: DataSource,
    private readonly mails: AccountMails,
    private readonly audit: Audit,
  ) {}

  /** Secures the account of a token, or ends the signup that it was mailed for. Throws InvalidToken. */
  async secure(token: string, by: Actor): Promise<void> {
    if (await this.endSignup(token, by)) return;
    const { id } = await this.tokens.ownerOf(token, PURPOSES);

    await this.database.transaction(async (manager) => {
      // Locked before the user, as everywhere.
      await this.invitations.holdOrganizationsOf(id, manager);
      // Locked before the token is looked at, which may have to know of a change of address that is just being made.
      const user = await this.users.lock(id, manager);
      if (!user) throw new InvalidToken();
      const owner = await this.tokens.consume(token, PURPOSES, manager);
      await this.emailChanges.undo(owner, by, manager);
      const unlinked = await this.lockOut(id, owner.sentTo, manager);
      await this.invitations.revokeRecentOf(id, by, manager);
      await this.mails.passwordReset(owner.sentTo, manager);
      if (unlinked > 0)
        await this.audit.record({ type: 'identity.unlinked', by, userId: id, orgId: user.orgId }, manager);
      await this.audit.record({ type: 'account.secured', by, userId: id, orgId: user.orgId }, manager);
      await this.news.tellOfSecured({ ...user, email: owner.sentTo }, manager);
    });
  }

  /** Ends the signup of a token: the verification link serves too, as its reader may never have signed up. */
  private endSignup(token: string, by: Actor): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const id = await this.signups.endByToken(hashToken(token), manager);
      if (id === null) return false;
      await this.audit.record({ type: 'signup.ended', by, details: { signup_id: id } }, manager);
      return true;
    });
  }

  /**
   * Closes every way in that somebody else may have: it opens again with a new password. Returns how many identities
   * were unlinked.
   */
  private async lockOut(id: string, proven: string, manager: EntityManager): Promise<number> {
    await this.users.dropPassword(id, manager);
    await this.tokens.revokeAll(id, manager);
    await this.sessions.endAll(id, manager);
    await this.devices.forgetAll(id, manager);
    return this.users.dropForeignIdentities(id, proven, manager, { withRecent: true });
  }
}
