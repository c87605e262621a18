import { Injectable } from '@nestjs/common';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import type { FirstStep, NewIdentity } from '../../accounts/pending-login.entity.js';
import type { Session } from '../../accounts/session.entity.js';
import { SessionsRepository } from '../../accounts/sessions.repository.js';
import type { User } from '../../accounts/user.entity.js';
import type { Transaction } from '../../audit/transactions.js';
import { AccountMails } from '../../mail/account-mails.js';
import { OutboxRepository } from '../../mail/outbox.repository.js';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** How many logins a mail lists. */
const MAX_LISTED = 20;

/** What the owner of an account learns of its logins, without being mailed about each. */
@Injectable()
export class LoginNotices {
  constructor(
    private readonly devices: KnownDevicesRepository,
    private readonly sessions: SessionsRepository,
    private readonly mails: AccountMails,
    private readonly outbox: OutboxRepository,
  ) {}

  /**
   * Mails about a login from a new browser at once, and gathers those of the hour that follows into one mail at its end:
   * an intruder must not bury the mail about another change under logins. After the account was secured the next login is
   * mailed at once again.
   */
  async newLogin(user: User, session: Session, tx: Transaction): Promise<void> {
    const toldAt = await this.outbox.lastPosted('new-login', user.email, HOUR_SECONDS, tx);
    if (!toldAt || (await this.devices.wereForgottenSince(toldAt, user.id, tx)))
      return this.mails.newLogin(user, session, tx);
    const logins = await this.sessions.findStartedAfter(toldAt, user.id, MAX_LISTED, tx);
    const dueAt = new Date(toldAt.getTime() + HOUR_SECONDS * 1000);
    await this.mails.newLogins(user, logins, dueAt, tx);
  }

  /**
   * Records a first step that led to no session yet, and tells the owner once a day, where a browser is news: a person
   * may know the password. The event keeps a new identity: an owner who secures the account later refuses it.
   */
  async pendingLogin(
    user: User,
    { authMethod, newIdentity }: { authMethod: FirstStep; newIdentity: NewIdentity | null },
    deviceCookie: string | null,
    tx: Transaction,
  ): Promise<void> {
    const { id: userId, orgId, email } = user;
    const identity = newIdentity && { issuer: newIdentity.issuer, subject: newIdentity.subject };
    await tx.record('login.pending', { userId, orgId, details: { auth_method: authMethod, ...identity } });
    if (!(await this.devices.isNews(userId, deviceCookie, tx))) return;
    if (await this.outbox.lastPosted('login-pending', email, DAY_SECONDS, tx)) return;
    await this.mails.pendingLogin(user, tx);
  }
}
