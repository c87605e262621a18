import { Injectable } from '@nestjs/common';
import { PendingLoginsRepository } from '../../accounts/pending-logins.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor, Caller } from '../../http/caller.js';
import { hashToken } from '../../secrets/token.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import type { PresentedTokens } from './admission.service.js';

/** Ends what a browser has begun: its session, and a login that lacks its second step. */
@Injectable()
export class LogoutService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly pendingLogins: PendingLoginsRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Ends both, where a browser has both. `caller` is the user who is logged in, if there is one. */
  async logout(caller: Caller | null, { pendingToken }: PresentedTokens, by: Actor): Promise<void> {
    if (pendingToken !== null) await this.cancel(hashToken(pendingToken), by);
    if (caller !== null) await this.sessions.end(caller.user, caller.session, by);
  }

  /** Gives up a login that lacks its second step: the next person at this computer must not find it. */
  async cancel(tokenHash: Buffer, by: Actor): Promise<void> {
    await this.transactions.run(by, (tx) => this.pendingLogins.delete({ tokenHash }, tx));
  }
}
