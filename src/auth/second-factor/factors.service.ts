import { Injectable } from '@nestjs/common';
import { type Factors, hasFactor, type SecondFactor } from '../../accounts/factors.js';
import { FactorsRepository } from '../../accounts/factors.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor, Caller, CallerUser } from '../../http/caller.js';
import {
  LastSecondFactor,
  NoSecondFactor,
  NotFound,
  TotpAlreadyOn,
  Unauthenticated,
} from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { SessionsService, type StartedSession } from '../../sessions/sessions.service.js';
import { CodesService } from './codes.service.js';
import { hashRecoveryCode, mintRecoveryCodes } from './recovery-codes.js';
import { type NewSecret, TotpService } from './totp.service.js';

/** The authenticator app and the recovery codes of a user. Each change is mailed to the owner. */
@Injectable()
export class FactorsService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly totp: TotpService,
    private readonly codes: CodesService,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMails,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  get({ id }: CallerUser): Promise<Factors> {
    return this.factors.findOf(id);
  }

  /** A secret for an authenticator app, which is no factor until a code confirms it. Throws TotpAlreadyOn. */
  begin({ user }: Caller, by: Actor): Promise<NewSecret> {
    return this.change(user, by, (locked, tx) => this.beginFor(locked, tx));
  }

  /** The same for a user who is locked already. */
  async beginFor({ id, email }: User, tx: Transaction): Promise<NewSecret> {
    const secret = await this.totp.mint(email);
    if (!(await this.factors.beginTotp(id, secret.sealed, tx))) throw new TotpAlreadyOn();
    return secret;
  }

  /**
   * Adds the authenticator app that a code proves the user to have. This session goes on with a fresh token, the others
   * end. Returns the recovery codes, of which the service keeps only the hashes. Throws InvalidCode and TotpAlreadyOn.
   */
  confirm(
    { user, session }: Caller,
    code: string,
    by: Actor,
  ): Promise<StartedSession & { recoveryCodes: string[] }> {
    return this.change(user, by, async (locked, tx) => {
      const recoveryCodes = await this.confirmFor(locked, code, { kept_session_id: session.id }, tx);
      await this.sessions.endAllBut({ userId: user.id, id: session.id }, tx);
      return { ...(await this.sessions.renew(session, 'totp', tx)), recoveryCodes };
    });
  }

  /**
   * The same for a user who is locked already. Leaves the sessions to the caller, who says in the details of the event
   * which one is kept.
   */
  async confirmFor(
    user: User,
    code: string,
    details: { kept_session_id?: string },
    tx: Transaction,
  ): Promise<string[]> {
    const { id: userId, orgId } = user;
    if ((await this.factors.findOf(userId, tx)).totpCreatedAt !== null) throw new TotpAlreadyOn();
    await this.codes.useTotp(userId, code, await this.factors.findNewTotp(userId, tx), tx);
    await this.factors.confirmTotp(userId, tx);
    await this.mails.secondStepOn(user, tx);
    await tx.as({ userId }).record('second_step.on', { userId, orgId, details });
    return this.makeCodes(userId, tx);
  }

  /** Removes the authenticator app, as `afterRemoval` allows. Throws NotFound and LastSecondFactor. */
  remove({ user }: Caller, by: Actor): Promise<void> {
    return this.change(user, by, async (locked, tx) => {
      const { id: userId, orgId } = locked;
      if (!(await this.factors.deleteTotp(userId, tx))) throw new NotFound();
      await this.afterRemoval('totp', userId, tx);
      await this.mails.secondStepOff(locked, tx);
      await tx.record('second_step.off', { userId, orgId, details: { kept_session_id: by.sessionId } });
    });
  }

  /**
   * Called once a factor of a user, who is locked, was removed. The other sessions end that one of its kind began or
   * raised. Without another factor the recovery codes go too, and no session is of the higher level by a factor. Throws
   * LastSecondFactor, which undoes the removal, when the user must have a factor, and this was the last one.
   */
  async afterRemoval(factor: SecondFactor, userId: string, tx: Transaction): Promise<void> {
    await this.sessions.endOthersRaisedBy(factor, userId, tx);
    const left = await this.factors.findOf(userId, tx);
    if (hasFactor(left)) return;
    if (left.isRequired) throw new LastSecondFactor();
    await this.factors.deleteRecoveryCodes(userId, tx);
    await this.sessions.lowerAll(userId, tx);
  }

  /** Ten new recovery codes, in place of the old ones; the other sessions end that one of those raised. Throws NoSecondFactor. */
  renewCodes({ user }: Caller, by: Actor): Promise<string[]> {
    return this.change(user, by, async (locked, tx) => {
      const { id: userId, orgId } = locked;
      if (!hasFactor(await this.factors.findOf(userId, tx))) throw new NoSecondFactor();
      await this.sessions.endOthersRaisedBy('recovery_code', userId, tx);
      await this.mails.recoveryCodesMade(locked, tx);
      await tx.record('recovery_codes.made', { userId, orgId });
      return this.makeCodes(userId, tx);
    });
  }

  /** Notes that the user keeps the recovery codes that work now. */
  keepCodes({ user }: Caller, by: Actor): Promise<void> {
    return this.change(user, by, ({ id }, tx) => this.factors.keepRecoveryCodes(id, tx));
  }

  private async makeCodes(userId: string, tx: Transaction): Promise<string[]> {
    const codes = mintRecoveryCodes();
    await this.factors.replaceRecoveryCodes(userId, codes.map(hashRecoveryCode), tx);
    return codes;
  }

  /** Changes the factors of a user, and locks the user meanwhile: of two changes at once, the second sees the first. */
  private change<Result>(
    { id }: CallerUser,
    by: Actor,
    make: (user: User, tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.transactions.run(by, async (tx) => {
      const user = await this.users.lock(id, tx);
      await this.authority.assertLoggedIn(tx);
      if (!user) throw new Unauthenticated();
      return make(user, tx);
    });
  }
}
