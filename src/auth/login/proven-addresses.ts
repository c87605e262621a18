import { Injectable } from '@nestjs/common';
import { OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { SessionsService } from '../../sessions/sessions.service.js';

/** What a login that proves the address of an account does to whatever was set up without such a proof. */
@Injectable()
export class ProvenAddresses {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly signups: SignupsRepository,
    private readonly sessions: SessionsService,
  ) {}

  /** Takes the address of a user, who is locked, as proven from now on. Signups with it end. */
  async accept(user: User, tx: Transaction): Promise<void> {
    if (!user.emailVerifiedAt) await this.dropWhatIsUnproven(user, tx);
    await this.signups.endAllOf(user.email, tx);
  }

  /** The person who set the password never proved the address: it goes, and everything it could have opened. */
  private async dropWhatIsUnproven({ id }: User, tx: Transaction): Promise<void> {
    await this.users.setPasswordOfProven(id, null, tx);
    await this.sessions.endAll(id, tx);
    await this.tokens.revoke(id, 'reset-password', tx);
  }
}
