import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import { AccountMails } from '../mail/account-mails.js';
import type { AuthMethod } from '../sessions/session.entity.js';
import { SessionsService, type StartedSession } from '../sessions/sessions.service.js';
import type { User } from '../users/user.entity.js';
import { Devices } from './devices.js';
import type { PresentedTokens } from './login-cookies.js';

/** What a login comes to: a session of a user, and the tokens for both cookies. */
export interface LoginResult extends StartedSession {
  user: User;
  deviceToken: string;
}

/** The one gate into an account: every way to log in ends here. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly devices: Devices,
    private readonly mails: AccountMails,
  ) {}

  /**
   * Starts a session for a user who has proven who they are, in place of the one whose token came with the request: a
   * cookie that an attacker planted before the login is worth nothing after it. A mail tells the owner of a device not
   * seen before. Returns null when the user was disabled, or changed the password, since they were read, which cannot
   * happen in a transaction that has locked them since.
   */
  async admit(
    user: User,
    authMethod: AuthMethod,
    { sessionToken, deviceToken }: PresentedTokens,
    tx: Transaction,
  ): Promise<LoginResult | null> {
    const started = await this.sessions.start(user, authMethod, tx);
    if (!started) return null;
    if (sessionToken !== null) await this.sessions.endByToken(sessionToken, tx);

    const device = await this.devices.recognise(user.id, deviceToken, tx);
    if (device.isNew) await this.mails.newLogin(user, started.session, tx);
    const { id: userId, orgId } = user;
    await tx
      .as({ userId })
      .record('login.succeeded', { userId, orgId, details: { auth_method: authMethod } });
    return { ...started, user, deviceToken: device.token };
  }
}
