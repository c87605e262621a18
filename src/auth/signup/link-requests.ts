import { Injectable } from '@nestjs/common';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { Limits } from '../../rate-limits/limits.js';
import { mintToken } from '../../secrets/token.js';
import { Languages } from '../../words/languages.js';
import { MailedCodes, type MailedPair } from '../mailed-codes/mailed-codes.js';
import { LinkRequestsRepository } from './link-requests.repository.js';

/**
 * Links and notices asked for with nothing but an address. A request is only written down, whatever the address, so that
 * neither its answer nor its time tells whether there is an account; that is looked up afterwards.
 */
@Injectable()
export class LinkRequests {
  constructor(
    private readonly limits: Limits,
    private readonly requests: LinkRequestsRepository,
    private readonly codes: MailedCodes,
    private readonly devices: KnownDevicesRepository,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Asks for a link to set a new password. Within a minute it is not mailed again: the link already mailed is good, and
   * the answer is alike. Nothing else counts against this limit, so that no signup or invitation of a stranger keeps an
   * owner from the way back. Returns the secret of the browser in which the code does the same;
   * null within that minute.
   */
  request(email: string, presentedToken: string | null, by: Actor): Promise<string | null> {
    return this.limits.onceAMinute(`reset-password ${email}`, async () => {
      await this.limits.take('forgotPerAddress', email);
      return this.insert('reset-password', email, presentedToken, by);
    });
  }

  /**
   * Asks for a code to log in with, in the same way, but the minute is that of each browser: the code of another one is
   * worth nothing in it. A device that the account knows has a count of its own, which no stranger uses up.
   */
  requestLoginCode(
    email: string,
    { codeToken, deviceToken }: { codeToken: string | null; deviceToken: string | null },
    by: Actor,
  ): Promise<string | null> {
    const browserToken = codeToken ?? mintToken();
    return this.limits.onceAMinute(`login ${email} ${browserToken}`, async () => {
      const { isKnown } = await this.devices.find(deviceToken, email);
      await this.limits.takeMail(isKnown ? 'login from a known device' : 'login', email);
      return this.insert('login', email, browserToken, by);
    });
  }

  /** Asks for the link of a signup. The caller counts it against the limit. */
  async requestFor(
    { id: signupId, email }: { id: string; email: string },
    purpose: 'sign-up' | 'verify-email',
    mailed: MailedPair,
    tx: Transaction,
  ): Promise<void> {
    await this.requests.insert({ purpose, email, signupId, ...this.originOf(tx.by), mailed }, tx);
  }

  /** Asks to tell the owner of an address, where it has an account, that this takes no further attempts for a while. */
  async requestNotice(email: string, tx: Transaction): Promise<void> {
    const purpose = 'login-limited';
    await this.requests.insert({ purpose, email, signupId: null, ...this.originOf(tx.by), mailed: null }, tx);
  }

  /** Returns the secret of the browser. */
  private insert(
    purpose: 'reset-password' | 'login',
    email: string,
    presentedToken: string | null,
    by: Actor,
  ): Promise<string> {
    return this.transactions.run(by, async (tx) => {
      const { browserToken, mailed } = await this.codes.mint(purpose, presentedToken, tx);
      await this.requests.insert({ purpose, email, signupId: null, ...this.originOf(by), mailed }, tx);
      return browserToken;
    });
  }

  /** Where a request comes from, and in which language: which the mail gets is decided when it is written. */
  private originOf({ ip, userAgent, languages }: Actor) {
    return { ip, userAgent, locale: this.languages.keep(languages) };
  }
}
