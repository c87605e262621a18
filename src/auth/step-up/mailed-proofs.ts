import { Injectable } from '@nestjs/common';
import { OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor, Caller, CallerSession, CallerUser } from '../../http/caller.js';
import { InvalidToken } from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { Limits } from '../../rate-limits/limits.js';
import { mintToken } from '../../secrets/token.js';
import { MailedCodes } from '../mailed-codes/mailed-codes.js';

/**
 * Codes that are mailed to prove within a session who its user is. They work as those of a login do, and also only in the session
 * that asked: the session and its browser together stand for the browser.
 */
@Injectable()
export class MailedProofs {
  constructor(
    private readonly codes: MailedCodes,
    private readonly tokens: OneTimeTokensRepository,
    private readonly mails: AccountMails,
    private readonly limits: Limits,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Mails a code to the user of a session. Returns the secret of the browser: the one it came with, or a fresh one; null within a
   * minute, in which the code mailed before is good. Throws TooManyRequests.
   */
  request({ user, session }: Caller, presentedToken: string | null, by: Actor): Promise<string | null> {
    const browserToken = presentedToken ?? mintToken();
    const bound = boundTo(session, browserToken);
    return this.limits.onceAMinute(`step-up ${bound}`, async () => {
      await this.limits.takeMail('step-up', user.email);
      await this.transactions.run(by, (tx) => this.mail(user, bound, tx));
      return browserToken;
    });
  }

  /** Does what the token allows that a code makes in a session and its browser. Throws InvalidCode. */
  open<Result>(
    { session }: Caller,
    code: string,
    browserToken: string | null,
    act: (token: string) => Promise<Result>,
  ): Promise<Result> {
    return this.codes.openByCode('step-up', code, boundTo(session, browserToken ?? mintToken()), act);
  }

  /** Uses up the token of a code that was mailed to a user, who is locked. Throws InvalidToken. */
  async use(token: string, userId: string, tx: Transaction): Promise<void> {
    const { id } = await this.tokens.consume(token, ['step-up'], tx);
    if (id !== userId) throw new InvalidToken();
  }

  private async mail(user: CallerUser, bound: string, tx: Transaction): Promise<void> {
    const { id: userId, orgId, email } = user;
    const { mailed } = await this.codes.mint('step-up', bound, tx);
    const issued = await this.tokens.issue(email, 'step-up', tx, { token: mailed.token });
    // The user has just moved to another address, and asks again.
    if (!issued) return;
    await tx.record('email_code.requested', { userId, orgId });
    await this.mails.stepUpCode(user, mailed.code, tx);
  }
}

function boundTo({ id }: Pick<CallerSession, 'id'>, browserToken: string): string {
  return `${browserToken} ${id}`;
}
