import { Injectable, Logger } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import type { Actor } from '../http/caller.js';
import { AccountDisabled, EmailNotVerified, InvalidCredentials } from '../http/errors.js';
import type { Problem } from '../http/problem.js';
import { PasswordMac } from '../signups/password-mac.js';
import { SignupsRepository } from '../signups/signups.repository.js';
import type { Asker } from '../users/hashing-queue.js';
import { PasswordHasher } from '../users/password-hasher.js';
import type { User } from '../users/user.entity.js';
import { UsersRepository, type UserWithPassword } from '../users/users.repository.js';
import { type Admission, AdmissionService, type Visitor } from './admission.service.js';
import type { Credentials } from './auth.dto.js';
import { LoginAttempts } from './login-attempts.js';
import { LoginMetrics } from './login-metrics.js';

const BCRYPT_READS_BYTES = 72;

/** Starts sessions for whoever knows the password, and tells nobody else whether there is an account. */
@Injectable()
export class LoginService {
  private readonly logger = new Logger(LoginService.name);

  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: PasswordHasher,
    private readonly signups: SignupsRepository,
    private readonly macs: PasswordMac,
    private readonly attempts: LoginAttempts,
    private readonly admissions: AdmissionService,
    private readonly audit: Audit,
    private readonly metrics: LoginMetrics,
  ) {}

  login(credentials: Credentials, visitor: Visitor): Promise<Admission & { user: User }> {
    return this.metrics.watch('password', this.start(credentials, visitor));
  }

  private async start(credentials: Credentials, visitor: Visitor): Promise<Admission & { user: User }> {
    const user = await this.attempts.count(credentials.email, visitor, (isKnownDevice) =>
      this.authenticate(credentials, { ...visitor, isKnownDevice }),
    );
    const admission = await this.admissions.admit(user, 'password', visitor);
    if (!admission) throw new InvalidCredentials();

    await this.renewHash(user, credentials.password, visitor);
    return { ...admission, user };
  }

  /** Hashes once whatever the address, so that an unknown one takes as long as a wrong password. */
  private async authenticate({ email, password }: Credentials, by: Actor & Asker): Promise<UserWithPassword> {
    const user = await this.users.findWithPassword({ email });
    const isMatch = await this.passwords.matches(password, user?.passwordHash ?? null, by);
    if (!user || !isMatch) throw await this.refusal(await this.mismatch(email, password), user, by);

    if (user.disabledAt) throw await this.refusal(new AccountDisabled(), user, by);
    if (!user.emailVerifiedAt) throw await this.refusal(new EmailNotVerified(), user, by);
    return user;
  }

  /** Tells who has yet to open the mail of a signup, whether or not there is an account as well. */
  private async mismatch(email: string, password: string): Promise<Problem> {
    const signups = await this.signups.findPasswordMacs(email);
    const own = signups.find((signup) => this.macs.isOf(signup, password));
    if (!own) return new InvalidCredentials();
    // A stranger could sign up with one guess after the other to try them here, where none would count.
    return new EmailNotVerified(!(await this.signups.noteLogin(own)));
  }

  /** Recorded even where there is no account, so that the time does not tell; the address that was typed is not. */
  private async refusal(problem: Problem, user: User | null, by: Actor): Promise<Problem> {
    const { id: userId = null, orgId = null } = user ?? {};
    await this.audit.record({ type: 'login.failed', by, userId, orgId, details: { reason: problem.code } });
    return problem;
  }

  /**
   * Hashes the password again when its hash came from another system, or has another cost. A password too long for
   * bcrypt is left alone: its hash covers only the beginning, which other passwords share. A failure here does not
   * fail the login.
   */
  private async renewHash(
    { id, passwordHash }: UserWithPassword,
    password: string,
    by: Asker,
  ): Promise<void> {
    const isWhole = Buffer.byteLength(password) <= BCRYPT_READS_BYTES;
    if (passwordHash === null || !isWhole || !this.passwords.isOutdated(passwordHash)) return;
    try {
      await this.users.replaceHash(id, passwordHash, await this.passwords.hash(password, by));
    } catch (error) {
      this.logger.warn(error, 'a password could not be hashed again');
    }
  }
}
