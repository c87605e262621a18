import { Injectable, Logger } from '@nestjs/common';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository, type UserWithPassword } from '../../accounts/users.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { AccountDisabled, EmailNotVerified, InvalidCredentials } from '../../http/errors.js';
import type { Problem } from '../../http/problem.js';
import { problemOf } from '../../http/problem-of.js';
import type { HashSource } from '../../passwords/hashing-queue.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import type { Credentials } from '../auth.dto.js';
import { PasswordMac } from '../signup/password-mac.js';
import { type Admission, AdmissionService, type PresentedTokens } from './admission.service.js';
import { LoginAttempts } from './login-attempts.js';
import { LoginMetrics } from './login-metrics.js';

/** Logs users in. A caller who does not know the password learns nothing of whether there is an account. */
@Injectable()
export class LoginService {
  private readonly logger = new Logger(LoginService.name);

  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: PasswordHasher,
    private readonly signups: SignupsRepository,
    private readonly macs: PasswordMac,
    private readonly devices: KnownDevicesRepository,
    private readonly attempts: LoginAttempts,
    private readonly admission: AdmissionService,
    private readonly transactions: Transactions,
    private readonly metrics: LoginMetrics,
  ) {}

  /** Logs a user in by password: to a session, or to a pending login. */
  async login(credentials: Credentials, presented: PresentedTokens, by: Actor): Promise<Admission> {
    try {
      const result = await this.loginByPassword(credentials, presented, by);
      this.metrics.countAdmission('password', result);
      return result;
    } catch (error) {
      this.metrics.countFailure('password', problemOf(error).code);
      throw error;
    }
  }

  private async loginByPassword(
    credentials: Credentials,
    presented: PresentedTokens,
    by: Actor,
  ): Promise<Admission> {
    const { email, password } = credentials;
    const [account, device] = await Promise.all([
      this.users.findWithPassword({ email }),
      this.devices.find(presented.deviceToken, email),
    ]);
    const user = await this.attempts.count(email, device, by, () =>
      this.authenticate(account, credentials, { ...by, isKnownDevice: device.isKnown }),
    );
    const result = await this.transactions.run(by, (tx) =>
      this.admission.admit(user, 'password', presented, tx),
    );
    if (!result) throw new InvalidCredentials();

    await this.renewHash(user, password, by);
    return result;
  }

  /** Hashes once whatever the address, so that an unknown one takes as long as a wrong password. */
  private async authenticate(
    user: UserWithPassword | null,
    { email, password }: Credentials,
    by: Actor & HashSource,
  ): Promise<UserWithPassword> {
    const isMatch = await this.passwords.matches(password, user?.passwordHash ?? null, by);
    if (!user || !isMatch) throw await this.refusal(await this.mismatch(email, password), user, by);

    if (user.disabledAt) throw await this.refusal(new AccountDisabled(), user, by);
    if (!user.emailVerifiedAt) throw await this.refusal(new EmailNotVerified(), user, by);
    return user;
  }

  /** Tells a person who has yet to open the mail of a signup to do so, whether or not there is an account as well. */
  private async mismatch(email: string, password: string): Promise<Problem> {
    const signups = await this.signups.findPasswordMacs(email);
    const own = signups.find((signup) => this.macs.isOf(signup, password));
    if (!own) return new InvalidCredentials();
    // A stranger could sign up with one guess after the other to try them here, where none would count.
    return new EmailNotVerified(!(await this.signups.noteLogin(own)));
  }

  /**
   * Records a failed login even where there is no account, so that the time does not show whether there is one. It does
   * not record the typed address, which may be a password in the wrong field.
   */
  private async refusal(problem: Problem, user: User | null, by: Actor): Promise<Problem> {
    const { id: userId = null, orgId = null } = user ?? {};
    await this.transactions.record('login.failed', by, { userId, orgId, details: { reason: problem.code } });
    return problem;
  }

  /**
   * Hashes the password again when its hash is not as this service makes it now. A failure here does not fail the login.
   */
  private async renewHash(
    { id, passwordHash }: UserWithPassword,
    password: string,
    by: HashSource,
  ): Promise<void> {
    if (passwordHash === null) return;
    try {
      if (!(await this.passwords.isOutdated(passwordHash, password, by))) return;
      await this.users.replaceHash(id, passwordHash, await this.passwords.hash(password, by));
    } catch (error) {
      this.logger.warn(
        { event: 'password.rehash_failed', err: error },
        'The service could not hash a password again; the next login tries once more.',
      );
    }
  }
}
