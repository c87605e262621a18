import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import type { Actor, Caller, CallerUser } from '../http/caller.js';
import { IncorrectPassword, LastLoginMethod, StepUpRequired, Unauthenticated } from '../http/errors.js';
import { AccountMails } from '../mail/account-mails.js';
import { assertLoggedIn } from '../sessions/assert-logged-in.js';
import { assertRecent } from '../sessions/recent.guard.js';
import { SessionsService, type StartedSession } from '../sessions/sessions.service.js';
import { OneTimeTokens } from '../tokens/one-time-tokens.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import { UsersRepository, type UserWithPassword } from '../users/users.repository.js';
import type { UpdatePassword } from './auth.dto.js';
import { Devices } from './devices.js';
import { IdentitiesRepository } from './identities.repository.js';
import type { LoginResult } from './login.service.js';

/** The password of a user who is logged in: asked for again, changed, and taken away. */
@Injectable()
export class PasswordService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionsService,
    private readonly devices: Devices,
    private readonly identities: IdentitiesRepository,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Changes the password of a user who states the current one, or sets the first one, and returns fresh tokens for this session and its
   * device. The other sessions end, the other devices are forgotten, and a change of address that the old password
   * allowed no longer happens.
   */
  async update(
    caller: Caller,
    { current_password, new_password }: UpdatePassword,
    deviceToken: string | null,
    by: Actor,
  ): Promise<Pick<LoginResult, 'token' | 'deviceToken'>> {
    const user = await this.prove(caller, current_password, by);
    await this.policy.refuseWeak('new_password', new_password, user);
    const passwordHash = await this.passwords.hash(new_password, by);

    return this.transactions.run(by, async (tx) => {
      if (!(await this.users.replacePassword(user, passwordHash, tx))) throw new IncorrectPassword();
      await this.tokens.revoke(user.id, 'reset-password', tx);
      await this.tokens.revoke(user.id, 'change-email', tx);
      await this.sessions.endAllBut({ userId: user.id, id: caller.session.id }, tx);
      const { id: userId, orgId } = user;
      await this.mails.passwordChanged(user, tx);
      await tx.record('password.changed', { userId, orgId });
      const { token } = await this.sessions.renew(caller.session, tx);
      return { token, deviceToken: await this.devices.forgetOthers(userId, deviceToken, tx) };
    });
  }

  /**
   * Takes the password away from an account that has another way to log in, and tells the owner. The other sessions end,
   * as do the links that would set a password. Throws LastLoginMethod.
   */
  async remove({ user: { id: userId }, session }: Caller, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      const user = await this.users.lock(userId, tx);
      await assertLoggedIn(tx);
      if (!user) throw new Unauthenticated();
      if (user.passwordChangedAt === null) return;
      if ((await this.identities.countOf(userId, tx)) === 0) throw new LastLoginMethod();

      await this.users.dropPassword(userId, tx);
      await this.tokens.revoke(userId, 'reset-password', tx);
      await this.tokens.revoke(userId, 'change-email', tx);
      await this.sessions.endAllBut({ userId, id: session.id }, tx);
      await this.mails.passwordRemoved(user, tx);
      await tx.record('password.removed', { userId, orgId: user.orgId });
    });
  }

  /**
   * Lets a user prove within a session who they are. Throws IncorrectPassword, and StepUpRequired, without a way, where
   * the account has no password: its owner logs in again.
   */
  async stepUp({ user: caller, session }: Caller, password: string, by: Actor): Promise<StartedSession> {
    const { id: userId, orgId } = caller;
    if (caller.passwordChangedAt === null) throw new StepUpRequired([]);
    try {
      const user = await this.confirm(caller, password, by);
      return await this.transactions.run(by, async (tx) => {
        if (!(await this.users.lockWithPassword(user, tx))) throw new IncorrectPassword();
        await tx.record('step_up.succeeded', { userId, orgId, details: { method: 'password' } });
        return this.sessions.renew(session, tx);
      });
    } catch (error) {
      if (error instanceof IncorrectPassword)
        await this.transactions.record('step_up.failed', by, {
          userId,
          orgId,
          details: { method: 'password' },
        });
      throw error;
    }
  }

  /** Asks for the current password, or where the account has none for a recent proof: it has no other. */
  async prove(caller: Caller, password: string | null | undefined, by: Actor): Promise<CallerUser> {
    if (caller.user.passwordChangedAt !== null) return this.confirm(caller.user, password ?? '', by);
    assertRecent(caller);
    return caller.user;
  }

  /** The caller, if this is their password. Throws IncorrectPassword, also where there is none. */
  private async confirm(caller: CallerUser, password: string, by: Actor): Promise<UserWithPassword> {
    const user = await this.users.findWithPassword({ id: caller.id });
    const isMatch = await this.passwords.matches(password, user?.passwordHash ?? null, by);
    if (!user || !isMatch) throw new IncorrectPassword();
    return user;
  }
}
