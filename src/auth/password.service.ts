import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import type { Actor } from '../http/caller.js';
import { IncorrectPassword } from '../http/errors.js';
import { AccountMails } from '../mail/account-mails.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { OneTimeTokens } from '../tokens/one-time-tokens.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import type { User } from '../users/user.entity.js';
import { UsersRepository, type UserWithPassword } from '../users/users.repository.js';
import type { UpdatePassword } from './auth.dto.js';
import { Devices } from './devices.js';
import type { LoginResult } from './login.service.js';

/** Asks a user for the current password again, and changes it. */
@Injectable()
export class PasswordService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionsService,
    private readonly devices: Devices,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Changes the password of a user who states the current one, and returns fresh tokens for this session and its
   * device. The other sessions end, the other devices are forgotten, and a change of address that the old password
   * allowed no longer happens.
   */
  async update(
    caller: User,
    session: Session,
    { current_password, new_password }: UpdatePassword,
    deviceToken: string | null,
    by: Actor,
  ): Promise<Pick<LoginResult, 'token' | 'deviceToken'>> {
    const user = await this.confirm(caller, current_password, by);
    await this.policy.refuseWeak('new_password', new_password, user);
    const passwordHash = await this.passwords.hash(new_password, by);

    return this.transactions.run(by, async (tx) => {
      if (!(await this.users.replacePassword(user, passwordHash, tx))) throw new IncorrectPassword();
      await this.tokens.revoke(user.id, 'reset-password', tx);
      await this.tokens.revoke(user.id, 'change-email', tx);
      await this.sessions.endAllBut(session, tx);
      const { id: userId, orgId } = user;
      await this.mails.passwordChanged(user, tx);
      await tx.record('password.changed', { userId, orgId });
      return {
        token: await this.sessions.renew(session, tx),
        deviceToken: await this.devices.forgetOthers(userId, deviceToken, tx),
      };
    });
  }

  /** The caller, if this is their password. Throws IncorrectPassword, also where there is none. */
  async confirm(caller: User, password: string, by: Actor): Promise<UserWithPassword> {
    const user = await this.users.findWithPassword({ id: caller.id });
    const isMatch = await this.passwords.matches(password, user?.passwordHash ?? null, by);
    if (!user || !isMatch) throw new IncorrectPassword();
    return user;
  }
}
