import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import { Transactions } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import type { Actor } from '../../http/caller.js';
import { TooManyRequests } from '../../http/errors.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { PasswordPolicy } from '../../passwords/password-policy.js';
import { Limits } from '../../rate-limits/limits.js';
import { hashToken, mintToken } from '../../secrets/token.js';
import { Languages } from '../../words/languages.js';
import type { Signup, SignupOrg } from '../auth.dto.js';
import { MailedCodes } from '../mailed-codes/mailed-codes.js';
import { LinkRequests } from './link-requests.js';
import { PasswordMac } from './password-mac.js';

/** What the cookies of a browser say: by which it is known as one that signed up, and as one that asked for a code. */
export interface PresentedBrowser {
  browserToken: string | null;
  codeToken: string | null;
}

/**
 * Takes signups, which become users once the mailed link is opened. All of it is the same for an address that has an
 * account: only the mail, which is written afterwards, differs.
 */
@Injectable()
export class SignupService {
  constructor(
    private readonly signups: SignupsRepository,
    private readonly macs: PasswordMac,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly limits: Limits,
    private readonly environment: Environment,
    private readonly requests: LinkRequests,
    private readonly codes: MailedCodes,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Signs up a user, and an organization if it is named. A browser that repeats its signup changes it. Returns the
   * token by which the browser is known when it opens the link: the one it came with, or a fresh one; and the
   * same for the mailed code.
   */
  async signup(
    { email, password, name = null, ...rest }: Signup & Partial<SignupOrg>,
    presented: PresentedBrowser,
    by: Actor,
  ): Promise<{ browserToken: string; codeToken: string }> {
    await this.policy.refuseWeak('password', password, { email, name });
    const { org_name: orgName = null, time_zone: timeZone = null } = rest;
    const locale = this.languages.keep(by.languages);
    const browserToken = presented.browserToken ?? mintToken();
    const browserHash = hashToken(browserToken);
    const { isMailDue } = await this.signups.findPlace(email, browserHash);
    const mayMail = isMailDue && (await this.takeMail(email));
    const passwordHash = await this.passwords.hash(password, by);

    const codeToken = await this.transactions.run(by, async (tx) => {
      await this.signups.lockAddress(email, tx);
      // Read once more: of two at once, the second finds what the first has made.
      const place = await this.signups.findPlace(email, browserHash, tx);
      const id = place.id ?? uuidv7();
      const isMailed = mayMail && place.isMailDue;
      const passwordMac = this.macs.make(id, password);

      await this.signups.save(
        { id, email, name, locale, timeZone, orgName, passwordHash, passwordMac, browserHash },
        isMailed,
        tx,
      );
      const code = await this.codes.mint('verify-email', presented.codeToken, tx, {
        keepsFormer: place.isOwnRecent,
      });
      if (isMailed) await this.requests.requestFor({ id, email }, 'sign-up', code.mailed, tx);
      await tx.record('signup.started', { details: { signup_id: id } });
      return code.browserToken;
    });
    return { browserToken, codeToken };
  }

  /**
   * Mails another link to the signup of a browser, else to the newest that has one. Without one it asks for a link as
   * well, under an id that no signup has, so that neither the answer nor its time nor the limits show a
   * stranger whether there is a signup. Returns the token by which the browser is known when its user enters the code;
   * null within the minute after another one.
   */
  async resend(
    email: string,
    { browserToken, codeToken }: PresentedBrowser,
    by: Actor,
  ): Promise<string | null> {
    if (this.environment.appMode !== 'b2c') return null;
    return this.limits.onceAMinute(`verify-email ${email}`, async () => {
      await this.limits.takeMail('resend', email);
      const browserHash = browserToken === null ? null : hashToken(browserToken);
      const { id, isOwn } = (await this.signups.findToMail(email, browserHash)) ?? {
        id: uuidv7(),
        isOwn: false,
      };

      return this.transactions.run(by, async (tx) => {
        const isDue = await this.signups.noteMail(id, tx);
        const code = await this.codes.mint('verify-email', codeToken, tx, {
          keepsFormer: isOwn && !isDue,
        });
        const signup = { id: isDue ? id : uuidv7(), email };
        await this.requests.requestFor(signup, 'verify-email', code.mailed, tx);
        return code.browserToken;
      });
    });
  }

  /**
   * Returns whether a mail may be sent, which then counts against the limit of the address. Beyond that the signup
   * counts without a mail: links mailed for other signups serve this browser too, and strangers refuse the owner nothing.
   */
  private async takeMail(email: string): Promise<boolean> {
    try {
      await this.limits.takeMail('signup', email);
      return true;
    } catch (error) {
      if (error instanceof TooManyRequests) return false;
      throw error;
    }
  }
}
