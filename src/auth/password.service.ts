import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor, Audit } from '../audit/audit.js';
import { DevicesService } from '../devices/devices.service.js';
import { IncorrectPassword } from '../errors/errors.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import type { User } from '../users/user.entity.js';
import { UsersRepository, type UserWithPassword } from '../users/users.repository.js';
import { AccountMails } from './account-mails.js';
import type { Admission } from './admission.service.js';
import type { ResetPassword, UpdatePassword } from './auth.dto.js';
import { LinkRequests } from './link-requests.js';
import { OneTimeTokens } from './one-time-tokens.js';

/**
 * Forgotten and changed passwords. Whichever way a password changes, the sessions it once started end, the devices
 * known until then are forgotten, and a change of address it once allowed no longer happens.
 */
@Injectable()
export class PasswordService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionsService,
    private readonly devices: DevicesService,
    private readonly database: DataSource,
    private readonly requests: LinkRequests,
    private readonly mails: AccountMails,
    private readonly audit: Audit,
  ) {}

  /** Mails a link to set a new password, if the address has an account. */
  async forgot(email: string, by: Actor): Promise<void> {
    await this.requests.request(email, 'reset-password', by);
  }

  /**
   * Sets a new password for the holder of a mailed token, which also proves their address. Returns the token of the
   * device at hand, which counts as known from now on.
   */
  async reset(
    { token, new_password: password }: ResetPassword,
    deviceToken: string | null,
    by: Actor,
  ): Promise<string> {
    const owner = await this.tokens.ownerOf(token, ['reset-password']);
    this.policy.refuseWeak('new_password', password, owner);
    const passwordHash = await this.passwords.hash(password);

    return this.database.transaction(async (manager) => {
      const { id, orgId } = await this.tokens.consume(token, ['reset-password'], manager);
      await this.users.setPasswordOfProven(id, passwordHash, manager);
      await this.tokens.revoke(id, 'verify-email', manager);
      await this.tokens.revoke(id, 'change-email', manager);
      await this.sessions.endAll(id, manager);
      await this.mails.passwordChanged(owner, manager);
      await this.audit.record({ type: 'password.reset', by, userId: id, orgId }, manager);
      return this.devices.forgetOthers(id, deviceToken, manager);
    });
  }

  /**
   * Changes the password of whoever knows the current one, ends the other sessions, and returns fresh tokens for this
   * one and its device.
   */
  async update(
    caller: User,
    session: Session,
    { current_password, new_password }: UpdatePassword,
    deviceToken: string | null,
    by: Actor,
  ): Promise<Pick<Admission, 'token' | 'deviceToken'>> {
    const user = await this.confirm(caller, current_password);
    this.policy.refuseWeak('new_password', new_password, user);
    const passwordHash = await this.passwords.hash(new_password);

    return this.database.transaction(async (manager) => {
      if (!(await this.users.replacePassword(user, passwordHash, manager))) throw new IncorrectPassword();
      await this.tokens.revoke(user.id, 'reset-password', manager);
      await this.tokens.revoke(user.id, 'change-email', manager);
      await this.sessions.endAllBut(session, manager);
      const { id: userId, orgId } = user;
      await this.mails.passwordChanged(user, manager);
      await this.audit.record({ type: 'password.changed', by, userId, orgId }, manager);
      return {
        token: await this.sessions.renew(session, manager),
        deviceToken: await this.devices.forgetOthers(userId, deviceToken, manager),
      };
    });
  }

  /** The caller, if this is their password. Throws IncorrectPassword, also where there is none. */
  async confirm(caller: User, password: string): Promise<UserWithPassword> {
    const user = await this.users.findWithPassword({ id: caller.id });
    const isMatch = await this.passwords.matches(password, user?.passwordHash ?? null);
    if (!user || !isMatch) throw new IncorrectPassword();
    return user;
  }
}
