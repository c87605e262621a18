import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { type FoundSignup, SignupsRepository } from '../../accounts/signups.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import type { Actor } from '../../http/caller.js';
import { InvalidToken, PasswordRequired } from '../../http/errors.js';
import { OrgsService } from '../../orgs/orgs.service.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { PasswordPolicy } from '../../passwords/password-policy.js';
import { Limits } from '../../rate-limits/limits.js';
import { hashToken } from '../../secrets/token.js';
import { Languages } from '../../words/languages.js';
import type { VerifyEmail } from '../auth.dto.js';
import { type Admission, AdmissionService, type PresentedTokens } from '../login/admission.service.js';
import { LoginMetrics } from '../login/login-metrics.js';

/**
 * Makes users of signups. A mailed link proves the mailbox, not who chose the password: a stranger may have signed up
 * with the address of another person, and count on their click. Hence the browser that signed up must open the link, or
 * its user must state the password, or a new one, which replaces all that the signup said.
 */
@Injectable()
export class VerificationService {
  constructor(
    private readonly signups: SignupsRepository,
    private readonly users: UsersRepository,
    private readonly orgs: OrgsService,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly limits: Limits,
    private readonly admission: AdmissionService,
    private readonly environment: Environment,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
    private readonly metrics: LoginMetrics,
  ) {}

  /** Completes the signup of a mailed token, and logs in. Throws InvalidToken, PasswordRequired and WeakPassword. */
  async verify(
    token: string,
    { password, new_password: newPassword }: VerifyEmail,
    browserToken: string | null,
    presented: PresentedTokens,
    by: Actor,
  ): Promise<{ email: string; admission: Admission }> {
    const browserHash = browserToken === null ? null : hashToken(browserToken);
    const signup = await this.limits.findByToken('verifyPerNetwork', token, by, () =>
      this.find(token, browserHash),
    );
    const chosen = newPassword
      ? await this.startAfresh(signup, newPassword, by)
      : await this.recognise(signup, browserHash, password ?? null, by);

    const admission = await this.transactions.run(by, (tx) => this.complete(chosen, presented, tx));
    this.metrics.countAdmission('password', admission);
    return { email: chosen.email, admission };
  }

  private async find(token: string, browserHash: Buffer | null): Promise<FoundSignup> {
    const signup =
      this.environment.appMode === 'b2c'
        ? await this.signups.findByToken(hashToken(token), browserHash)
        : null;
    if (!signup) throw new InvalidToken();
    return signup;
  }

  /** Keeps nothing of a signup but its address. */
  private async startAfresh(signup: FoundSignup, password: string, by: Actor): Promise<FoundSignup> {
    await this.policy.refuseWeak('new_password', password, { email: signup.email, name: null });
    const passwordHash = await this.passwords.hash(password, by);
    const locale = this.languages.keep(by.languages);
    return { ...signup, passwordHash, name: null, locale, timeZone: null, orgName: null };
  }

  /**
   * The signup, if its link was opened in the browser that made it, or it was made with this password. A link of another
   * signup does not do without the password, or a cookie that a stranger planted would choose theirs.
   */
  private async recognise(
    signup: FoundSignup,
    browserHash: Buffer | null,
    password: string | null,
    by: Actor,
  ): Promise<FoundSignup> {
    const isOfBrowser = browserHash !== null && signup.browserHash?.equals(browserHash);
    if (signup.isMailed && isOfBrowser) return signup;
    if (password === null) throw new PasswordRequired();
    if (!(await this.matches(signup, password, by))) throw new PasswordRequired();
    return signup;
  }

  /**
   * Counts a try before it is compared, so that those made at once count too, and gives it back when the service is too
   * busy to compare it: strangers could end a signup by keeping it so. Throws InvalidToken when there is none left.
   */
  private async matches({ id, passwordHash }: FoundSignup, password: string, by: Actor): Promise<boolean> {
    if (!(await this.signups.countTry(id))) throw new InvalidToken();
    try {
      return await this.passwords.matches(password, passwordHash, by);
    } catch (error) {
      await this.signups.giveTryBack(id);
      throw error;
    }
  }

  /** Makes the user and what belongs to them: all of it, or nothing. Throws InvalidToken when another was first. */
  private async complete(
    { id: signupId, orgName, email, name, locale, timeZone, passwordHash }: FoundSignup,
    presented: PresentedTokens,
    tx: Transaction,
  ): Promise<Admission> {
    const id = uuidv7();
    const newUser = { id, email, name, locale, timeZone, passwordHash };
    const made = await this.users.insertVerified(newUser, tx);
    if (!made || !(await this.signups.endAllOf(email, tx)).includes(signupId)) throw new InvalidToken();

    const own = tx.as({ userId: id });
    await own.record('account.created', { userId: id });
    const user = orgName === null ? made : (await this.orgs.found({ name: orgName, locale }, id, own)).admin;
    await own.record('email.verified', { userId: id, orgId: user.orgId });
    const result = await this.admission.admit(user, 'password', presented, own);
    if (!result) throw new InvalidToken();
    return result;
  }
}
