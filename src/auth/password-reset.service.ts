import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/audit.js';
import type { Actor } from '../http/caller.js';
import { AccountMails } from '../mail/account-mails.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SignupsRepository } from '../signups/signups.repository.js';
import { OneTimeTokens } from '../tokens/one-time-tokens.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import { UsersRepository } from '../users/users.repository.js';
import type { ResetPassword } from './auth.dto.js';
import { DevicesService } from './devices.service.js';
import { LinkRequests } from './link-requests.js';
import { LoginAttempts } from './login-attempts.js';

/** A new password for somebody who has forgotten theirs, and can read their mail. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly signups: SignupsRepository,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionsService,
    private readonly devices: DevicesService,
    private readonly database: DataSource,
    private readonly requests: LinkRequests,
    private readonly mails: AccountMails,
    private readonly attempts: LoginAttempts,
    private readonly audit: Audit,
  ) {}

  /** Mails a link to set a new password, if the address has an account. */
  async request(email: string, by: Actor): Promise<void> {
    await this.requests.request(email, by);
  }

  /**
   * Sets a new password for the holder of a mailed token, which also proves their address. Every session ends, every
   * other device is forgotten, a change of address that the old password allowed no longer happens, and identities
   * known under another address are unlinked: an intruder who linked one would come back by it. Returns the token of
   * this device, which counts as known from now on.
   */
  async complete(
    { token, new_password: password }: ResetPassword,
    deviceToken: string | null,
    by: Actor,
  ): Promise<string> {
    const owner = await this.tokens.ownerOf(token, ['reset-password']);
    this.policy.refuseWeak('new_password', password, owner);
    const passwordHash = await this.passwords.hash(password, by);

    return this.database.transaction(async (manager) => {
      const { id, orgId, sentTo } = await this.tokens.consume(token, ['reset-password'], manager);
      await this.users.setPasswordOfProven(id, passwordHash, manager);
      await this.signups.endAllOf(owner.email, manager);
      const unlinked = await this.users.dropForeignIdentities(id, sentTo, manager);
      await this.tokens.revoke(id, 'change-email', manager);
      await this.sessions.endAll(id, manager);
      await this.attempts.forget(owner.email);
      await this.mails.passwordChanged(owner, manager);
      await this.audit.record({ type: 'password.reset', by, userId: id, orgId }, manager);
      if (unlinked > 0) {
        await this.mails.identityUnlinked(owner, manager);
        await this.audit.record({ type: 'identity.unlinked', by, userId: id, orgId }, manager);
      }
      return this.devices.forgetOthers(id, deviceToken, manager);
    });
  }
}
