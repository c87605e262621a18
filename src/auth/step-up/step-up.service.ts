import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { PasskeysRepository } from '../../factors/passkeys.repository.js';
import type { Actor, Caller } from '../../http/caller.js';
import {
  IncorrectPassword,
  InvalidPasskey,
  NoSecondFactor,
  StepUpRequired,
  UnknownPasskey,
} from '../../http/errors.js';
import { RecentProof, type StepUpMethod } from '../../sessions/recent-proof.js';
import type { Session } from '../../sessions/session.entity.js';
import { SessionsService, type StartedSession } from '../../sessions/sessions.service.js';
import { UsersRepository } from '../../users/users.repository.js';
import { Ceremonies } from '../passkeys/ceremonies.js';
import { PasswordService } from '../password.service.js';

/** Lets users prove within a session who they are; the session goes on with a fresh token. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: PasswordService,
    private readonly passkeys: PasskeysRepository,
    private readonly ceremonies: Ceremonies,
    private readonly sessions: SessionsService,
    private readonly proof: RecentProof,
    private readonly transactions: Transactions,
  ) {}

  /** What the browser asks one of the user's passkeys with. Throws NoSecondFactor when there is none. */
  async begin({ user, session }: Caller) {
    const passkeys = await this.passkeys.findOf(user.id);
    if (passkeys.length === 0) throw new NoSecondFactor();
    return this.ceremonies.requestOptions('passkey-step-up', session.id, passkeys);
  }

  /** Throws IncorrectPassword, and StepUpRequired, with the ways that will do, where the account has no password. */
  async byPassword(caller: Caller, password: string, by: Actor): Promise<StartedSession> {
    if (caller.user.passwordChangedAt === null)
      throw new StepUpRequired(await this.proof.methodsOf(caller.user));
    return this.noted('password', caller, by, async () => {
      const user = await this.passwords.confirm(caller.user, password, by);
      return this.transactions.run(by, async (tx) => {
        if (!(await this.users.lockWithPassword(user, tx))) throw new IncorrectPassword();
        return this.renew('password', caller, 1, tx);
      });
    });
  }

  /** Throws InvalidPasskey also for a passkey of another user, and UnknownPasskey for one that was removed. */
  async byPasskey(caller: Caller, credential: object, by: Actor): Promise<StartedSession> {
    const { user, session } = caller;
    return this.noted('passkey', caller, by, async () => {
      const assertion = await this.ceremonies.checkAssertion(credential, 'passkey-step-up', session.id);
      if (assertion.passkey.userId !== user.id) throw new InvalidPasskey();
      return this.transactions.run(by, async (tx) => {
        await this.users.lock(user.id, tx);
        await this.ceremonies.accept(assertion, tx);
        return this.renew('passkey', caller, 2, tx);
      });
    });
  }

  private async renew(
    method: StepUpMethod,
    { user: { id: userId, orgId }, session }: Caller,
    aal: Session['aal'],
    tx: Transaction,
  ): Promise<StartedSession> {
    await tx.record('step_up.succeeded', { userId, orgId, details: { method } });
    return this.sessions.renew(session, aal, tx);
  }

  /** Records a proof that was not accepted. */
  private async noted(
    method: StepUpMethod,
    { user: { id: userId, orgId } }: Caller,
    by: Actor,
    prove: () => Promise<StartedSession>,
  ): Promise<StartedSession> {
    try {
      return await prove();
    } catch (error) {
      if (WRONG.some((problem) => error instanceof problem))
        await this.transactions.record('step_up.failed', by, { userId, orgId, details: { method } });
      throw error;
    }
  }
}

const WRONG = [IncorrectPassword, InvalidPasskey, UnknownPasskey];
