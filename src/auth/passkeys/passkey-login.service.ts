import { Injectable } from '@nestjs/common';
import type { NewIdentity } from '../../accounts/pending-login.entity.js';
import { PendingLoginsRepository } from '../../accounts/pending-logins.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { AccountDisabled, InvalidPasskey, UnknownPasskey } from '../../http/errors.js';
import { problemOf } from '../../http/problem-of.js';
import { hashToken } from '../../secrets/token.js';
import { AdmissionService, type LoginResult, type PresentedTokens } from '../login/admission.service.js';
import { LoginMetrics } from '../login/login-metrics.js';
import { IdentityLinks } from '../providers/identity-links.js';
import { CeremoniesService } from './ceremonies.service.js';
import type { PasskeyLogin } from './passkeys.dto.js';

/**
 * Logs users in by a passkey, which is a whole login: the device, and what unlocks it. It is also the second step of a
 * login that waits for one in the browser.
 */
@Injectable()
export class PasskeyLoginService {
  constructor(
    private readonly ceremonies: CeremoniesService,
    private readonly users: UsersRepository,
    private readonly pendingLogins: PendingLoginsRepository,
    private readonly admission: AdmissionService,
    private readonly links: IdentityLinks,
    private readonly transactions: Transactions,
    private readonly metrics: LoginMetrics,
  ) {}

  /** What the browser asks a passkey with. It names none, and so tells nothing of who has an account. */
  begin(browserSecret: string) {
    return this.ceremonies.requestOptions('passkey-login', browserSecret);
  }

  /**
   * Logs in the owner of the passkey that signed. Only as the second step it links an identity: the owner may not know of a
   * login that another person began in the browser. Throws InvalidPasskey, UnknownPasskey, AccountDisabled.
   */
  async login(
    { credential, second_step: isSecondStep }: PasskeyLogin,
    browserSecret: string | null,
    presented: PresentedTokens,
    by: Actor,
  ): Promise<LoginResult> {
    let owner: User | null = null;
    try {
      if (browserSecret === null) throw new InvalidPasskey();
      const assertion = await this.ceremonies.checkAssertion(credential, 'passkey-login', browserSecret);
      const login = await this.transactions.run(by, async (tx) => {
        owner = await this.users.lock(assertion.passkey.userId, tx);
        if (!owner) throw new UnknownPasskey();
        await this.ceremonies.accept(assertion, tx);
        const newIdentity = isSecondStep ? await this.identityOf(owner, presented, tx) : null;
        const admitted = await this.admission.admitByPasskey(owner, presented, tx);
        if (!admitted) throw new AccountDisabled();
        // Where it became another user's meanwhile, the passkey is a whole login nevertheless.
        if (newIdentity) await this.links.link(owner, newIdentity, tx);
        return admitted;
      });
      this.metrics.countSession('passkey', login);
      return login;
    } catch (error) {
      await this.noteFailure(error, owner, by);
      throw error;
    }
  }

  /** The identity with which the owner began a login in this browser: the passkey is its second step. */
  private async identityOf(
    { id }: User,
    { pendingToken }: PresentedTokens,
    tx: Transaction,
  ): Promise<NewIdentity | null> {
    if (pendingToken === null) return null;
    const begun = await this.pendingLogins.use(hashToken(pendingToken), id, tx);
    return begun?.newIdentity ?? null;
  }

  private async noteFailure(error: unknown, owner: User | null, by: Actor): Promise<void> {
    const { code } = problemOf(error);
    this.metrics.countFailure('passkey', code);
    if (problemOf(error).getStatus() >= 500) return;
    const reason = error instanceof InvalidPasskey && error.isOldCount ? 'sign_count' : code;
    const { id: userId = null, orgId = null } = owner ?? {};
    await this.transactions.record('login.failed', by, { userId, orgId, details: { reason } });
  }
}
