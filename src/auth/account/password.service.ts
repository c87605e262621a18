import { Injectable } from '@nestjs/common';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import { OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import { UsersRepository, type UserWithPassword } from '../../accounts/users.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor, Caller, CallerUser } from '../../http/caller.js';
import { IncorrectPassword, Unauthenticated } from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { PasswordPolicy } from '../../passwords/password-policy.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { StepUpRule } from '../../sessions/step-up-rule.js';
import type { RemovePassword, UpdatePassword } from '../auth.dto.js';
import type { LoginResult } from '../login/admission.service.js';
import { LoginMethods } from '../login/login-methods.js';
import { ProofAttempts } from '../step-up/proof-attempts.js';

/** The password of a user who is logged in: asked for, changed, and taken away. */
@Injectable()
export class PasswordService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionsService,
    private readonly devices: KnownDevicesRepository,
    private readonly methods: LoginMethods,
    private readonly attempts: ProofAttempts,
    private readonly stepUp: StepUpRule,
    private readonly mails: AccountMails,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Changes the password of a user who states the current one, or sets the first one, and returns fresh tokens for this
   * session and its device. The other sessions end, the other devices are forgotten, and a change of address that the
   * old password allowed no longer happens.
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
      const details = { kept_session_id: caller.session.id };
      await tx.record('password.changed', { userId, orgId, details });
      const { token } = await this.sessions.renew(caller.session, 'password', tx);
      return { token, deviceToken: await this.devices.forgetOthers(userId, deviceToken, tx) };
    });
  }

  /**
   * Takes the password away from an account that has another way to log in, and tells the owner. The other sessions
   * end, as do the links that would set a password, or move the account to another address. Asks for the password,
   * though the proof is recent: without it, the thief of a session could add a passkey, take the password away, and then
   * do all that asks for the password. Throws IncorrectPassword and LastLoginMethod.
   */
  async remove(caller: Caller, { current_password }: RemovePassword, by: Actor): Promise<void> {
    const { id: userId } = await this.prove(caller, current_password, by);
    await this.transactions.run(by, async (tx) => {
      const user = await this.users.lock(userId, tx);
      await this.authority.assertLoggedIn(tx);
      if (!user) throw new Unauthenticated();
      if (user.passwordChangedAt === null) return;
      await this.users.dropPassword(userId, tx);
      await this.methods.assertAnyLeft({ ...user, passwordChangedAt: null }, tx);
      await this.tokens.revoke(userId, 'reset-password', tx);
      await this.tokens.revoke(userId, 'change-email', tx);
      await this.sessions.endAllBut({ userId, id: caller.session.id }, tx);
      await this.mails.passwordRemoved(user, tx);
      const details = { kept_session_id: caller.session.id };
      await tx.record('password.removed', { userId, orgId: user.orgId, details });
    });
  }

  /**
   * Asks for the current password. Where a login takes a second step, asks for a recent proof as well, because the
   * thief of a password must not change the account with it; where there is no password, for that proof alone.
   */
  async prove(caller: Caller, password: string | null | undefined, by: Actor): Promise<CallerUser> {
    await this.stepUp.assertBesidePassword(caller);
    const { user } = caller;
    if (user.passwordChangedAt !== null) return this.confirm(caller, password ?? '', by);
    await this.attempts.countRight(caller);
    return user;
  }

  /**
   * The caller, if this is their password. Throws IncorrectPassword, also where there is none, TooManyRequests, and
   * Unauthenticated where the account has been deleted meanwhile.
   */
  async confirm(caller: Caller, password: string, by: Actor): Promise<UserWithPassword> {
    const confirmed = await this.attempts.count('password', caller, by, async () => {
      const user = await this.users.findWithPassword({ id: caller.user.id });
      if (!user) throw new Unauthenticated();
      if (!(await this.passwords.matches(password, user.passwordHash, by))) throw new IncorrectPassword();
      return user;
    });
    await this.attempts.countRight(caller);
    return confirmed;
  }
}
