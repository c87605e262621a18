import { Injectable } from '@nestjs/common';
import { hasSecondStep, type SecondFactor, usableFactors } from '../../accounts/factors.js';
import { FactorsRepository } from '../../accounts/factors.repository.js';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import type { FirstStep, NewIdentity } from '../../accounts/pending-login.entity.js';
import { PendingLoginsRepository } from '../../accounts/pending-logins.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import type { AuthMethod } from '../../http/caller.js';
import { AccountMails } from '../../mail/account-mails.js';
import { hashToken, mintToken } from '../../secrets/token.js';
import type { PendingLoginView } from '../../sessions/pending-login.view.js';
import { type LoggedIn, type LoginProof, SessionsService } from '../../sessions/sessions.service.js';
import { Languages } from '../../words/languages.js';
import { linksView } from '../providers/identity.view.js';
import { LoginNotices } from './login-notices.js';

/** What the cookies of a request hold when its user logs in. */
export interface PresentedTokens {
  sessionToken: string | null;
  pendingToken: string | null;
  deviceToken: string | null;
}

/** What a login comes to: a session of a user, and the tokens for both cookies. */
export interface LoginResult extends LoggedIn {
  kind: 'session';
  user: User;
  deviceToken: string;
}

/** A login that lacks its second step, and the token for its cookie. */
interface StartedPendingLogin extends PendingLoginView {
  kind: 'pending';
  pendingToken: string;
}

/** What the first step of a login comes to: a session, or where the account takes a second step a pending login. */
export type Admission = LoginResult | StartedPendingLogin;

/** How the second step was taken: with a factor, or by setting up the first one. */
export type SecondStep = Exclude<SecondFactor, 'passkey'> | 'setup';

/** What an identity provider adds to the first step. */
interface FirstStepAtProvider {
  isStrong?: boolean;
  newIdentity?: NewIdentity | null;
  provenAt?: Date | null;
}

/** Thrown where a login would set up the first factor, and its user proved too long ago who they are. */
export class ProofTooOld extends Error {
  constructor() {
    super('a first factor needs a recent proof');
  }
}

/** The one gate into an account: every way to log in ends here. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly pendingLogins: PendingLoginsRepository,
    private readonly users: UsersRepository,
    private readonly factors: FactorsRepository,
    private readonly devices: KnownDevicesRepository,
    private readonly notices: LoginNotices,
    private readonly mails: AccountMails,
    private readonly environment: Environment,
    private readonly languages: Languages,
  ) {}

  /**
   * Admits a user who has proven who they are by the password or at a provider: to a session, or where the account
   * takes a second step, to a pending login, which keeps a new identity. A provider that asks for a second factor by
   * itself is strong; one that did not ask its user now may say when it did (`provenAt`). Returns null when the user was
   * disabled, or changed the password, since they were read, which cannot happen in a transaction that has locked them
   * since. Throws ProofTooOld.
   */
  async admit(
    user: User,
    authMethod: FirstStep,
    presented: PresentedTokens,
    tx: Transaction,
    { isStrong = false, newIdentity = null, provenAt = null }: FirstStepAtProvider = {},
  ): Promise<Admission | null> {
    // A change of the factors or the own role locks the user: it comes before this login, which then sees it, or after it,
    // and binds its session. So the factors are read second, by a statement of their own.
    if (!(await this.users.keepAsRead(user, tx))) return null;
    const factors = await this.factors.findOf(user.id, tx);
    if (isStrong) return this.start(user, { authMethod, aal: 2, provenAt }, presented, tx);
    if (!hasSecondStep(factors)) return this.start(user, { authMethod, aal: 1, provenAt }, presented, tx);

    const usable = usableFactors(factors);
    // It leads to the set-up of a factor, which asks for a recent proof everywhere.
    if (usable.length === 0 && provenAt !== null && !(await this.sessions.isRecentProof(provenAt, tx)))
      throw new ProofTooOld();

    const pendingToken = mintToken();
    const begun = { authMethod, newIdentity };
    const { expiresAt } = await this.pendingLogins.insert(user, begun, hashToken(pendingToken), tx);
    await this.notices.pendingLogin(user, begun, presented.deviceToken, tx);
    const links = linksView(newIdentity, this.environment);
    return { kind: 'pending', usable, expiresAt, links, pendingToken };
  }

  /**
   * Admits the owner of a passkey, which is both steps: the device, and what unlocks it. Returns null as `admit` does.
   */
  async admitByPasskey(user: User, presented: PresentedTokens, tx: Transaction): Promise<LoginResult | null> {
    if (!(await this.users.keepAsRead(user, tx))) return null;
    return this.start(user, { authMethod: 'passkey', aal: 2 }, presented, tx);
  }

  /** Admits a user, who is locked, after the second step of a login that was pending. */
  admitAfterSecondStep(
    user: User,
    authMethod: FirstStep,
    secondStep: SecondStep,
    presented: PresentedTokens,
    tx: Transaction,
  ): Promise<LoginResult> {
    return this.start(user, { authMethod, aal: 2, secondStep }, presented, tx);
  }

  /**
   * Starts a session in place of the one whose token came with the request: a cookie that an attacker planted before
   * the login is worth nothing after it. A pending login of the browser ends too. A mail tells the owner of a device
   * not seen before.
   */
  private async start(
    user: User,
    { secondStep, ...proof }: LoginProof & { secondStep?: SecondStep },
    { sessionToken, pendingToken, deviceToken }: PresentedTokens,
    tx: Transaction,
  ): Promise<LoginResult> {
    const { id: userId, orgId } = user;
    const details = { auth_method: proof.authMethod, ...(secondStep && { second_step: secondStep }) };
    // Ended first, so that every login locks the old session before the device: two accounts may log in at once in one
    // browser.
    if (sessionToken !== null) await this.sessions.endByToken(sessionToken, tx);
    if (pendingToken !== null) await this.pendingLogins.delete({ tokenHash: hashToken(pendingToken) }, tx);
    const started = await this.sessions.start(
      user,
      { ...proof, raisedBy: raisedBy(proof.authMethod, secondStep) },
      tx,
    );
    const device = await this.devices.recognise(userId, deviceToken, tx);
    await tx.as({ userId }).record('login.succeeded', { userId, orgId, details });
    if (device.isKnown && user.locale === null) await this.suggestLocale(user, tx);
    if (device.isNew) await this.notices.newLogin(user, started.session, tx);
    return { kind: 'session', ...started, user, deviceToken: device.cookie };
  }

  /**
   * Not from a browser that is new, which an intruder has. An intruder who logs in twice is known too, so a mail tells of another
   * language in the former one, or it would hide every warning after it.
   */
  private async suggestLocale(user: User, tx: Transaction): Promise<void> {
    const locale = this.languages.keep(tx.by.languages);
    if (locale === null || !(await this.users.suggestLocale(user.id, locale, tx))) return;
    const reader = await this.users.getReader(user.id, tx);
    await this.mails.languageChanged(user, { ...reader, locale: null }, reader, tx);
  }
}

/** The factor that a login was proven with; null where there was none. */
function raisedBy(authMethod: AuthMethod, secondStep?: SecondStep): SecondFactor | null {
  if (authMethod === 'passkey') return authMethod;
  return secondStep === 'setup' ? 'totp' : (secondStep ?? null);
}
