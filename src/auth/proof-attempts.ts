import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import type { Actor, Caller } from '../http/caller.js';
import { IncorrectPassword, InvalidCode, InvalidPasskey, UnknownPasskey } from '../http/errors.js';
import { AccountMails } from '../mail/account-mails.js';
import { Limits, type Use } from '../rate-limits/limits.js';
import { type Point, QuotaCounter } from '../rate-limits/quota-counter.js';
import { secondsUntilReset } from '../rate-limits/rate-limit-fields.js';
import type { StepUpMethod } from '../sessions/recent-proof.js';

const WRONG = [IncorrectPassword, InvalidCode, InvalidPasskey, UnknownPasskey];

/**
 * Slows down the guessing of what proves within a session who its user is. Wrong proofs count by session, right ones by
 * user: the thief of a session, who does not know the password, uses up nothing of the owner's in another session.
 */
@Injectable()
export class ProofAttempts {
  constructor(
    private readonly limits: Limits,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Checks a proof, if the session has attempts left. One is taken beforehand, so that guesses made at once count too,
   * and given back unless the proof was wrong, which is recorded. Throws TooManyRequests.
   */
  async count<Result>(
    method: StepUpMethod,
    caller: Caller,
    by: Actor,
    check: () => Promise<Result>,
  ): Promise<Result> {
    const points = await this.limits.take('passwordPerUser', caller.session.id);
    try {
      const result = await check();
      await QuotaCounter.giveBack(points);
      return result;
    } catch (error) {
      await (WRONG.some((problem) => error instanceof problem)
        ? this.noteWrong(method, points, caller, by)
        : QuotaCounter.giveBack(points));
      throw error;
    }
  }

  /** Counts an act that a right proof allows: each costs a hash, a mail or an event. Throws TooManyRequests. */
  async countRight({ user }: Caller): Promise<void> {
    await this.limits.take('passwordPerUser', user.id);
  }

  /** Tells the owner when the session has no attempt left in a quota. */
  private async noteWrong(
    method: StepUpMethod,
    points: Point<Use>[],
    { user }: Caller,
    by: Actor,
  ): Promise<void> {
    const { id: userId, orgId } = user;
    const waits = this.limits.lastOf(points).map(secondsUntilReset);
    await this.transactions.run(by, async (tx) => {
      await tx.record('step_up.failed', { userId, orgId, details: { method } });
      for (const seconds of waits) await tx.record('login.limited', { userId, orgId, details: { seconds } });
      if (waits.length > 0) await this.mails.proofsWrong(user, tx);
    });
  }
}
