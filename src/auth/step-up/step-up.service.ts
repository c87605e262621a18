import { Injectable } from '@nestjs/common';
import type { StepUpMethod } from '../../accounts/factors.js';
import { PasskeysRepository } from '../../accounts/passkeys.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor, Caller } from '../../http/caller.js';
import {
  IncorrectPassword,
  InvalidPasskey,
  NoSecondFactor,
  StepUpRequired,
  Unauthenticated,
} from '../../http/errors.js';
import { SessionsService, type StartedSession } from '../../sessions/sessions.service.js';
import { StepUpRule } from '../../sessions/step-up-rule.js';
import { PasswordService } from '../account/password.service.js';
import { CeremoniesService } from '../passkeys/ceremonies.service.js';
import { CodesService, type TypedCode } from '../second-factor/codes.service.js';
import { MailedProofs } from './mailed-proofs.js';
import { ProofAttempts } from './proof-attempts.js';

/** Lets users prove within a session who they are; the session goes on with a fresh token. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: PasswordService,
    private readonly passkeys: PasskeysRepository,
    private readonly ceremonies: CeremoniesService,
    private readonly codes: CodesService,
    private readonly mailed: MailedProofs,
    private readonly proofs: ProofAttempts,
    private readonly sessions: SessionsService,
    private readonly stepUp: StepUpRule,
    private readonly transactions: Transactions,
  ) {}

  /** What the browser asks one of the user's passkeys with. Throws NoSecondFactor when there is none. */
  async begin({ user, session }: Caller) {
    const passkeys = await this.passkeys.findOf(user.id);
    if (passkeys.length === 0) throw new NoSecondFactor('There is no passkey for this account.');
    return this.ceremonies.requestOptions('passkey-step-up', session.id, passkeys);
  }

  /**
   * Throws IncorrectPassword. As the others do, it throws StepUpRequired, with the ways that will do, where it will
   * not.
   */
  async byPassword(caller: Caller, password: string, by: Actor): Promise<StartedSession> {
    await this.assertWillDo('password', caller);
    const user = await this.passwords.confirm(caller, password, by);
    return this.transactions.run(by, async (tx) => {
      if (!(await this.users.lockWithPassword(user, tx))) throw new IncorrectPassword();
      // A second step may have been added while the password was hashed.
      await this.assertWillDo('password', caller, tx);
      return this.renew('password', caller, tx);
    });
  }

  /** Throws InvalidPasskey also for a passkey of another user, and UnknownPasskey for one that was removed. */
  async byPasskey(caller: Caller, credential: object, by: Actor): Promise<StartedSession> {
    const { user, session } = caller;
    await this.assertWillDo('passkey', caller);
    return this.proofs.count('passkey', caller, by, async () => {
      const assertion = await this.ceremonies.checkAssertion(credential, 'passkey-step-up', session.id);
      if (assertion.passkey.userId !== user.id) throw new InvalidPasskey();
      await this.proofs.countRight(caller);
      return this.transactions.run(by, async (tx) => {
        await this.users.lock(user.id, tx);
        await this.ceremonies.accept(assertion, tx);
        return this.renew('passkey', caller, tx);
      });
    });
  }

  /** Throws InvalidCode, and TooManyAttempts: a session is no licence to try codes. */
  async byCode(caller: Caller, typed: TypedCode, by: Actor): Promise<StartedSession> {
    await this.assertWillDo(typed.kind, caller);
    return this.proofs.count(typed.kind, caller, by, () =>
      this.transactions.run(by, async (tx) => {
        const user = await this.users.lock(caller.user.id, tx);
        if (!user) throw new Unauthenticated();
        await this.codes.use(user, typed, tx);
        return this.renew(typed.kind, caller, tx);
      }),
    );
  }

  /**
   * Mails a code to the user, which proves who they are in this session and browser. Returns the secret of the browser; null
   * within a minute, in which nothing is mailed again. Throws TooManyRequests.
   */
  async mailCode(caller: Caller, browserToken: string | null, by: Actor): Promise<string | null> {
    await this.assertWillDo('email_code', caller);
    return this.mailed.request(caller, browserToken, by);
  }

  /** Throws InvalidCode, also for the code of another session or browser, and TooManyAttempts. */
  async byMailedCode(
    caller: Caller,
    code: string,
    browserToken: string | null,
    by: Actor,
  ): Promise<StartedSession> {
    await this.assertWillDo('email_code', caller);
    return this.proofs.count('email_code', caller, by, () =>
      this.mailed.open(caller, code, browserToken, (token) =>
        this.transactions.run(by, async (tx) => {
          const user = await this.users.lock(caller.user.id, tx);
          if (!user) throw new Unauthenticated();
          await this.mailed.use(token, user.id, tx);
          // A password or a factor may have been added since the code was asked for.
          await this.assertWillDo('email_code', { ...caller, user: { ...caller.user, ...user } }, tx);
          return this.renew('email_code', caller, tx);
        }),
      ),
    );
  }

  /** Throws StepUpRequired for a way that will not do. */
  private async assertWillDo(method: StepUpMethod, { user }: Caller, tx?: Transaction): Promise<void> {
    const methods = await this.stepUp.methodsOf(user, tx);
    if (!methods.includes(method)) throw new StepUpRequired(methods);
  }

  private async renew(
    method: StepUpMethod,
    { user: { id: userId, orgId }, session }: Caller,
    tx: Transaction,
  ): Promise<StartedSession> {
    await tx.record('step_up.succeeded', { userId, orgId, details: { method } });
    return this.sessions.renew(session, method, tx);
  }
}
