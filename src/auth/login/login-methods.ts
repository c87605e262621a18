import { Injectable } from '@nestjs/common';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import { PasskeysRepository } from '../../accounts/passkeys.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import type { CallerUser } from '../../http/caller.js';
import { LastLoginMethod } from '../../http/errors.js';

/**
 * The ways to log in to an account: its password, its identities at providers, its passkeys, and where codes are mailed,
 * its address.
 */
@Injectable()
export class LoginMethods {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * Throws LastLoginMethod when none is left to a user, who is locked, so that two removals cannot each leave it to the
   * other.
   */
  async assertAnyLeft({ id, passwordChangedAt }: CallerUser, tx: Transaction): Promise<void> {
    if (passwordChangedAt !== null || this.environment.emailCodeLogin === 'on') return;
    if ((await this.identities.countOf(id, tx)) > 0) return;
    if ((await this.passkeys.countOf(id, tx)) === 0) throw new LastLoginMethod();
  }
}
