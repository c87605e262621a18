import { Injectable } from '@nestjs/common';
import { usableFactors } from '../../accounts/factors.js';
import { FactorsRepository } from '../../accounts/factors.repository.js';
import { type Begun, PendingLoginsRepository } from '../../accounts/pending-logins.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import type { Actor } from '../../http/caller.js';
import { AccountDisabled, InvalidCode, TotpAlreadyOn, Unauthenticated } from '../../http/errors.js';
import { problemOf } from '../../http/problem-of.js';
import { Limits } from '../../rate-limits/limits.js';
import type { PendingLoginView } from '../../sessions/pending-login.view.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import {
  AdmissionService,
  type LoginResult,
  type PresentedTokens,
  type SecondStep,
} from '../login/admission.service.js';
import { LoginAttempts } from '../login/login-attempts.js';
import { LoginMetrics } from '../login/login-metrics.js';
import { linksView } from '../providers/identity.view.js';
import { IdentityLinks } from '../providers/identity-links.js';
import { CodesService, type TypedCode } from './codes.service.js';
import { FactorsService } from './factors.service.js';
import type { FoundLogin } from './pending-login.guard.js';
import type { NewSecret } from './totp.service.js';

/**
 * Ends logins that lack their second step: with a code, or where the user must have a factor and has none, by setting
 * up the first one. Every method throws Unauthenticated when the pending login is over by now.
 */
@Injectable()
export class PendingLoginsService {
  constructor(
    private readonly pendingLogins: PendingLoginsRepository,
    private readonly users: UsersRepository,
    private readonly factors: FactorsRepository,
    private readonly codes: CodesService,
    private readonly setUp: FactorsService,
    private readonly sessions: SessionsService,
    private readonly admission: AdmissionService,
    private readonly links: IdentityLinks,
    private readonly attempts: LoginAttempts,
    private readonly limits: Limits,
    private readonly environment: Environment,
    private readonly transactions: Transactions,
    private readonly metrics: LoginMetrics,
  ) {}

  /** How the second step can be taken, until when, and what it links. */
  async get({ userId, newIdentity, expiresAt }: FoundLogin): Promise<PendingLoginView> {
    const usable = usableFactors(await this.factors.findOf(userId));
    return { usable, expiresAt, links: linksView(newIdentity, this.environment) };
  }

  /** Takes the second step with a code. Throws InvalidCode, TooManyAttempts and AccountDisabled. */
  async complete(
    pending: FoundLogin,
    presented: PresentedTokens,
    typed: TypedCode,
    by: Actor,
  ): Promise<{ login: LoginResult; recoveryCodesLeft: number }> {
    const { login, done } = await this.finish(pending, presented, by, typed.kind, async (user, tx) => {
      await this.codes.use(user, typed, tx);
      return this.factors.findOf(user.id, tx);
    });
    return { login, recoveryCodesLeft: done.recoveryCodesLeft };
  }

  /** A secret for the authenticator app of a user who has no factor. Throws TotpAlreadyOn and AccountDisabled. */
  async beginSetUp({ userId }: FoundLogin, by: Actor): Promise<NewSecret> {
    await this.limits.take('factorPerUser', userId);
    return this.transactions.run(by, async (tx) => {
      const locked = await this.lock(userId, tx);
      await this.assertNoFactor(userId, tx);
      return this.setUp.beginFor(locked, tx);
    });
  }

  /** Takes the second step with a code made of that secret. All other sessions end. Throws as both methods above do. */
  async completeSetUp(
    pending: FoundLogin,
    presented: PresentedTokens,
    code: string,
    by: Actor,
  ): Promise<{ login: LoginResult; recoveryCodes: string[] }> {
    const { login, done: recoveryCodes } = await this.finish(
      pending,
      presented,
      by,
      'setup',
      async (user, tx) => {
        await this.assertNoFactor(user.id, tx);
        const codes = await this.setUp.confirmFor(user, code, {}, tx);
        await this.sessions.endAll(user.id, tx);
        return codes;
      },
    );
    return { login, recoveryCodes };
  }

  /**
   * Counts an attempt. Then one transaction, which locks the user, takes the step, links the identity that the login came
   * with, and starts the session.
   */
  private async finish<Done>(
    { userId, tokenHash }: FoundLogin,
    presented: PresentedTokens,
    by: Actor,
    secondStep: SecondStep,
    take: (user: User, tx: Transaction) => Promise<Done>,
  ): Promise<{ login: LoginResult; done: Done }> {
    const user = await this.users.find(userId);
    if (!user) throw new Unauthenticated();
    try {
      const finished = await this.attempts.countCode(user.email, presented.deviceToken, by, () =>
        this.transactions.run(by, async (tx) => {
          const locked = await this.lock(user.id, tx);
          const { authMethod, newIdentity } = await this.use(tokenHash, locked.id, tx);
          const done = await take(locked, tx);
          // Only now more than the mailbox says that the identity is the user's.
          if (newIdentity && !(await this.links.link(locked, newIdentity, tx))) throw new Unauthenticated();
          const login = await this.admission.admitAfterSecondStep(
            locked,
            authMethod,
            secondStep,
            presented,
            tx,
          );
          return { login, done };
        }),
      );
      this.metrics.countSession('second_step', finished.login);
      return finished;
    } catch (error) {
      await this.noteFailure(error, user, by);
      throw error;
    }
  }

  private async lock(userId: string, tx: Transaction): Promise<User> {
    const user = await this.users.lock(userId, tx);
    if (!user) throw new Unauthenticated();
    if (user.disabledAt !== null) throw new AccountDisabled();
    return user;
  }

  private async use(tokenHash: Buffer, userId: string, tx: Transaction): Promise<Begun> {
    const begun = await this.pendingLogins.use(tokenHash, userId, tx);
    if (begun === null) throw new Unauthenticated();
    return begun;
  }

  /** Throws TotpAlreadyOn. Otherwise a thief of the password could add a factor of their own beside the owner's. */
  private async assertNoFactor(userId: string, tx: Transaction): Promise<void> {
    if (usableFactors(await this.factors.findOf(userId, tx)).length > 0) throw new TotpAlreadyOn();
  }

  private async noteFailure(error: unknown, { id: userId, orgId }: User, by: Actor): Promise<void> {
    const { code } = problemOf(error);
    this.metrics.countFailure('second_step', code);
    if (!(error instanceof InvalidCode)) return;
    await this.transactions.record('login.failed', by, { userId, orgId, details: { reason: code } });
  }
}
