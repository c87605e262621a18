import { Injectable } from '@nestjs/common';
import { KnownDevicesRepository, type PresentedDevice } from '../../accounts/known-devices.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { EmailNotVerified, InvalidCode, InvalidCredentials, TooManyAttempts } from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import {
  type Counted,
  LimitCounterRepository,
  type LimitKey,
} from '../../rate-limits/limit-counter.repository.js';
import { Limits, type SubjectLimit } from '../../rate-limits/limits.js';
import { secondsUntilReset } from '../../rate-limits/rate-limit-fields.js';
import { LinkRequests } from '../signup/link-requests.js';

const DAY_SECONDS = 86_400;

/** A quarter of an hour grows to four hours, which leaves strangers some 90 guesses of the 100 a day. */
const MAX_DOUBLINGS = 4;

/** What is guessed at: the password, or the code of a second step. */
type Guessed = 'password' | 'code';

const LIMITS = { password: 'loginPerAccount', code: 'codePerAccount' } as const;

/** What an attempt to log in was taken from. */
interface Attempt {
  network: Counted[];
  account: Counted<SubjectLimit>[];
  /** What no success gives back. */
  forGood: Counted<SubjectLimit>[];
  /**
   * What the account's attempts are counted under: the address, alone or with a known device, or with all known ones.
   */
  subject: string;
  guessed: Guessed;
}

/**
 * Slows down the guessing of passwords and codes, each apart from the other, without a lock that a stranger could put
 * on the owner: a device known to the account counts by itself for passwords, and with the other known ones for codes;
 * all unknown devices count together (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). An address
 * without an account counts like any other.
 */
@Injectable()
export class LoginAttempts {
  private readonly delays: Record<Guessed, LimitCounterRepository>;

  constructor(
    private readonly limits: Limits,
    private readonly devices: KnownDevicesRepository,
    private readonly users: UsersRepository,
    private readonly mails: AccountMails,
    private readonly requests: LinkRequests,
    private readonly transactions: Transactions,
  ) {
    const delays = (policy: string) => limits.counter(policy, { max: 1, seconds: DAY_SECONDS });
    this.delays = { password: delays('login-delays'), code: delays('code-delays') };
  }

  /**
   * Authenticates, if there are attempts left. One is taken beforehand, so that guesses made at once count too, and
   * given back unless the password was wrong, or may have been a guess. Throws TooManyAttempts or TooManyRequests.
   */
  count<Result>(
    email: string,
    device: PresentedDevice,
    by: Actor,
    authenticate: () => Promise<Result>,
  ): Promise<Result> {
    return this.counted('password', email, device, by, authenticate);
  }

  /**
   * Checks the code of a second step, if there are attempts left, in the same way. The attempt is taken outside of the
   * transaction of the check, so that no rollback gives it back. When the last one is used up, a mail tells the owner.
   */
  async countCode<Result>(
    email: string,
    deviceToken: string | null,
    by: Actor,
    check: () => Promise<Result>,
  ): Promise<Result> {
    return this.counted('code', email, await this.devices.find(deviceToken, email), by, check);
  }

  /**
   * Forgets the wrong passwords of an account, and the waits they led to, once its owner has proven to be it (NIST SP
   * 800-63B §3.2.2 counts consecutive ones). What its network has used up elsewhere stays.
   */
  forget(subject: string): Promise<void> {
    return LimitCounterRepository.giveBack([], this.countedOf('password', [subject]));
  }

  private async counted<Result>(
    guessed: Guessed,
    email: string,
    device: PresentedDevice,
    by: Actor,
    check: () => Promise<Result>,
  ): Promise<Result> {
    const attempt = await this.take(guessed, email, device, by);
    try {
      this.limits.assertLeft(attempt.forGood);
      await this.tellOfLast(attempt.forGood, attempt, email, by);
      const result = await check();
      await this.forgive(attempt, email);
      return result;
    } catch (error) {
      await (isWrongGuess(error)
        ? this.noteWrong(attempt, email, by)
        : LimitCounterRepository.giveBack([...attempt.network, ...attempt.account]));
      throw error;
    }
  }

  private countedOf(guessed: Guessed, subjects: string[]): LimitKey[] {
    const keyed = subjects.map((subject) => ({ subject, key: this.limits.keyOf(subject) }));
    // All statements name the keys of one limit in this order.
    keyed.sort((one, other) => (one.key < other.key ? -1 : 1));
    const waits = keyed.map(({ key }) => ({ counter: this.delays[guessed], key }));
    return [...waits, ...keyed.flatMap(({ subject }) => this.limits.limitsOf(LIMITS[guessed], subject))];
  }

  /** The network comes first: one that has used up its attempts takes none from the accounts it tries. */
  private async take(
    guessed: Guessed,
    email: string,
    { token, isKnown }: PresentedDevice,
    { ip }: Actor,
  ): Promise<Attempt> {
    const ofNetwork = isKnown ? [] : this.limits.limitsOfNetwork('loginPerNetwork', ip);
    // The known devices share one count of codes: each reset of the password makes another one, for a reader of the
    // mailbox.
    const device = guessed === 'code' ? 'known' : token;
    const subject = isKnown ? `${email} ${device}` : email;
    const ofAccount = this.limits.limitsOf(LIMITS[guessed], subject, TooManyAttempts);
    const forGood = guessed === 'code' ? [] : this.limitsForGood(email, isKnown);

    const counts = await LimitCounterRepository.take([...ofNetwork, ...ofAccount, ...forGood]);
    const network = counts.splice(0, ofNetwork.length);
    const account = counts.splice(0, ofAccount.length);
    this.limits.assertLeft([...network, ...account]);
    return { network, account, forGood: counts, subject, guessed };
  }

  /**
   * Counts what succeeds as well: each costs a hash and a session, and from a new device a mail. The known devices
   * share one count, or a new one would be a new limit; it is theirs alone, so that no stranger uses it up.
   */
  private limitsForGood(email: string, isKnown: boolean): SubjectLimit[] {
    return this.limits.limitsOf('attemptPerAccount', isKnown ? `known ${email}` : email);
  }

  /**
   * A login that succeeds gives back what its device has used up, and of passwords also what all unknown ones have. Of
   * codes an unknown device gets back only its own: a stranger who guesses at those has the password, and would begin
   * anew with every login of the owner.
   */
  private forgive({ network, account, subject, guessed }: Attempt, email: string): Promise<void> {
    if (guessed === 'code' && subject === email)
      return LimitCounterRepository.giveBack([...network, ...account]);
    const subjects = guessed === 'code' ? [subject] : [...new Set([subject, email])];
    return LimitCounterRepository.giveBack(network, this.countedOf(guessed, subjects));
  }

  /** After the last attempt of the shortest limit comes a wait, which doubles each time within a day. */
  private async noteWrong(attempt: Attempt, email: string, by: Actor): Promise<void> {
    const [shortest, ...longer] = attempt.account;
    if (!shortest) return;
    await this.tellOfLast([await this.delayed(shortest, attempt.guessed), ...longer], attempt, email, by);
  }

  /** The count, which begins anew at the end of the wait if it used up its limit. */
  private async delayed(count: Counted<SubjectLimit>, guessed: Guessed): Promise<Counted<SubjectLimit>> {
    const { counter, key, taken } = count;
    if (taken !== counter.limit.max) return count;
    const { taken: times } = await this.delays[guessed].take(key);
    const seconds = counter.limit.seconds * 2 ** Math.min(times - 1, MAX_DOUBLINGS);
    await counter.close(key, seconds);
    return { ...count, resetsAt: performance.now() + seconds * 1000 };
  }

  /**
   * Records that an account has no attempt left in a limit, and tells its owner: a thief who guesses slowly never
   * reaches the shortest one. The mail is written after the answer, so that the time does not show whether there is an
   * account; a person who guesses at codes knows that already.
   */
  private async tellOfLast(
    counts: Counted<SubjectLimit>[],
    { guessed }: Attempt,
    email: string,
    by: Actor,
  ): Promise<void> {
    const last = this.limits.lastOf(counts);
    if (last.length === 0) return;
    const waits = last.map(secondsUntilReset);
    const user = await this.users.findByEmail(email);
    const { id: userId = null, orgId = null } = user ?? {};
    await this.transactions.run(by, async (tx) => {
      for (const seconds of waits) await tx.record('login.limited', { userId, orgId, details: { seconds } });
      if (guessed === 'password') await this.requests.requestNotice(email, tx);
      else if (user) await this.mails.passwordKnown(user, tx);
    });
  }
}

function isWrongGuess(error: unknown): boolean {
  if (error instanceof EmailNotVerified) return error.isGuess;
  return error instanceof InvalidCredentials || error instanceof InvalidCode;
}
