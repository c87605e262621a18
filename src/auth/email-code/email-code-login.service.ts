import { Injectable } from '@nestjs/common';
import { OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { InvalidCode, InvalidToken } from '../../http/errors.js';
import { problemOf } from '../../http/problem-of.js';
import { Limits } from '../../rate-limits/limits.js';
import { type Admission, AdmissionService, type PresentedTokens } from '../login/admission.service.js';
import { LoginMetrics } from '../login/login-metrics.js';
import { ProvenAddresses } from '../login/proven-addresses.js';
import { MailedCodes } from '../mailed-codes/mailed-codes.js';

/**
 * Logs users in by a code that was mailed to them, in the browser that asked for it: who reads the mail elsewhere, or
 * asked elsewhere, has only half of what it takes. It is a first step as the password is, and makes no account.
 */
@Injectable()
export class EmailCodeLoginService {
  constructor(
    private readonly codes: MailedCodes,
    private readonly tokens: OneTimeTokensRepository,
    private readonly users: UsersRepository,
    private readonly addresses: ProvenAddresses,
    private readonly admission: AdmissionService,
    private readonly limits: Limits,
    private readonly transactions: Transactions,
    private readonly metrics: LoginMetrics,
  ) {}

  /** Logs a user in: to a session, or to a pending login. Throws InvalidCode and TooManyRequests. */
  async login(
    code: string,
    browserToken: string | null,
    presented: PresentedTokens,
    by: Actor,
  ): Promise<Admission> {
    try {
      const admission = await this.codes.openByCode('login', code, browserToken, (token) =>
        this.loginByToken(token, presented, by),
      );
      this.metrics.countAdmission('email_code', admission);
      return admission;
    } catch (error) {
      await this.noteFailure(error, by);
      throw error;
    }
  }

  /** Throws InvalidToken. */
  private async loginByToken(token: string, presented: PresentedTokens, by: Actor): Promise<Admission> {
    await this.limits.findByToken('verifyPerNetwork', token, by, () => this.tokens.ownerOf(token, ['login']));
    return this.transactions.run(by, (tx) => this.redeem(token, presented, tx));
  }

  /** The lock that comes with using up the token lets one of several redemptions through. */
  private async redeem(token: string, presented: PresentedTokens, tx: Transaction): Promise<Admission> {
    const { id } = await this.tokens.consume(token, ['login'], tx);
    await this.addresses.accept(await this.users.get(id, tx), tx);
    // Read again: the password may just have been dropped as unproven.
    const admission = await this.admission.admit(await this.users.get(id, tx), 'email_code', presented, tx);
    if (!admission) throw new InvalidToken();
    return admission;
  }

  /** Records a wrong code, of which nothing tells whose account it was for. */
  private async noteFailure(error: unknown, by: Actor): Promise<void> {
    const { code } = problemOf(error);
    this.metrics.countFailure('email_code', code);
    if (error instanceof InvalidCode)
      await this.transactions.record('login.failed', by, { details: { reason: code } });
  }
}
