import { Injectable } from '@nestjs/common';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import { OneTimeTokensRepository, type TokenOwner } from '../../accounts/one-time-tokens.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { AccountMails } from '../../mail/account-mails.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { PasswordPolicy } from '../../passwords/password-policy.js';
import { Limits } from '../../rate-limits/limits.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import type { ResetPassword } from '../auth.dto.js';
import { LoginAttempts } from '../login/login-attempts.js';

/** A new password for an owner who has forgotten theirs, and reads the mail of the account. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly signups: SignupsRepository,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionsService,
    private readonly devices: KnownDevicesRepository,
    private readonly mails: AccountMails,
    private readonly attempts: LoginAttempts,
    private readonly limits: Limits,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Sets a new password for the holder of a mailed token, which also proves their address. Every session ends, every
   * other device is forgotten, a change of address that the old password allowed no longer happens, and identities
   * known under another address are unlinked: an intruder who linked one would come back by it. Returns the token of
   * this device, which counts as known from now on.
   */
  async complete(
    token: string,
    { new_password: password }: ResetPassword,
    deviceToken: string | null,
    by: Actor,
  ): Promise<string> {
    const owner = await this.ownerOf(token, by);
    await this.policy.refuseWeak('new_password', password, owner);
    const passwordHash = await this.passwords.hash(password, by);

    return this.transactions.run(by, async (tx) => {
      const { id, orgId, sentTo } = await this.tokens.consume(token, ['reset-password'], tx);
      await this.users.setPasswordOfProven(id, passwordHash, tx);
      await this.signups.endAllOf(owner.email, tx);
      const unlinked = await this.identities.removeForeign(id, sentTo, tx);
      await this.tokens.revoke(id, 'change-email', tx);
      await this.sessions.endAll(id, tx);
      await this.attempts.forget(owner.email);
      await this.mails.passwordChanged(owner, tx);
      await tx.record('password.reset', { userId: id, orgId });
      if (unlinked > 0) {
        await this.mails.identityUnlinked(owner, tx);
        await tx.record('identity.unlinked', { userId: id, orgId });
      }
      return this.devices.forgetOthers(id, deviceToken, tx);
    });
  }

  /** Whose password the holder of a mailed token may set. Uses nothing up. Throws InvalidToken and TooManyRequests. */
  ownerOf(token: string, by: Actor): Promise<TokenOwner> {
    return this.limits.findByToken('resetPerNetwork', token, by, () =>
      this.tokens.ownerOf(token, ['reset-password']),
    );
  }
}
