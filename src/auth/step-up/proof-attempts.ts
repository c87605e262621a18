import { Injectable } from '@nestjs/common';
import type { StepUpMethod } from '../../accounts/factors.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor, Caller } from '../../http/caller.js';
import {
  IncorrectPassword,
  InvalidCode,
  InvalidPasskey,
  TooManyAttempts,
  UnknownPasskey,
} from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { type Counted, LimitCounterRepository } from '../../rate-limits/limit-counter.repository.js';
import { Limits, type SubjectLimit } from '../../rate-limits/limits.js';
import { secondsUntilReset } from '../../rate-limits/rate-limit-fields.js';

const WRONG = [IncorrectPassword, InvalidCode, InvalidPasskey, UnknownPasskey];

/** An owner is mailed about wrong proofs at most once in this time: more mails would bury the others. */
const NOTICE_PAUSE_SECONDS = 3600;

/**
 * Slows down the guessing of what proves within a session who its user is. Wrong proofs count for their session, and for
 * all sessions of the user, who may do twice as much: a thief who begins many sessions is stopped, and one who has stolen
 * a single session leaves the owner's its attempts. Codes count apart from the others, and from those at a login.
 */
@Injectable()
export class ProofAttempts {
  private readonly notices: LimitCounterRepository;

  constructor(
    private readonly limits: Limits,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {
    this.notices = limits.counter('proof-notices', { max: 1, seconds: NOTICE_PAUSE_SECONDS });
  }

  /**
   * Checks a proof, if the session and its user have attempts left. One is taken beforehand, so that guesses made at once
   * count too, and given back unless the proof was wrong, which is recorded. Throws TooManyRequests, and for codes
   * TooManyAttempts.
   */
  async count<Result>(
    method: StepUpMethod,
    caller: Caller,
    by: Actor,
    check: () => Promise<Result>,
  ): Promise<Result> {
    const counts = this.limits.assertLeft(await LimitCounterRepository.take(this.limitsOf(method, caller)));
    try {
      const result = await check();
      await LimitCounterRepository.giveBack(counts);
      return result;
    } catch (error) {
      await (WRONG.some((problem) => error instanceof problem)
        ? this.noteWrong(method, counts, caller, by)
        : LimitCounterRepository.giveBack(counts));
      throw error;
    }
  }

  /** Counts an act that a right proof allows: each costs a hash, a mail or an event. Throws TooManyRequests. */
  async countRight({ user }: Caller): Promise<void> {
    await this.limits.take('passwordPerUser', user.id);
  }

  private limitsOf(method: StepUpMethod, caller: Caller): SubjectLimit[] {
    return method === 'password' || method === 'passkey'
      ? this.limits.limitsOfSession('passwordPerUser', caller)
      : this.limits.limitsOfSession('codePerAccount', caller, TooManyAttempts);
  }

  /** Tells the owner when the session, or all of them together, have no attempt left in a limit. */
  private async noteWrong(
    method: StepUpMethod,
    counts: Counted<SubjectLimit>[],
    { user }: Caller,
    by: Actor,
  ): Promise<void> {
    const { id: userId, orgId } = user;
    const waits = this.limits.lastOf(counts).map(secondsUntilReset);
    const isToldNow =
      waits.length > 0 && (await this.notices.take(this.limits.keyOf(`proofs ${userId}`))).taken === 1;
    await this.transactions.run(by, async (tx) => {
      await tx.record('step_up.failed', { userId, orgId, details: { method } });
      for (const seconds of waits) await tx.record('login.limited', { userId, orgId, details: { seconds } });
      if (isToldNow) await this.mails.proofsWrong(user, tx);
    });
  }
}
