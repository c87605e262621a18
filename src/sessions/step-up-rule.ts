import { Injectable } from '@nestjs/common';
import { type Factors, hasSecondStep, type StepUpMethod, usableFactors } from '../accounts/factors.js';
import { FactorsRepository } from '../accounts/factors.repository.js';
import { IdentitiesRepository } from '../accounts/identities.repository.js';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import type { Caller, CallerUser } from '../http/caller.js';
import { NotWhileActing, StepUpRequired } from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';

/** Whether users proved lately who they are, and how they can do it again. */
@Injectable()
export class StepUpRule {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * Throws StepUpRequired, with the ways there are, when the proof is more than ten minutes old, or lacks the second step
   * that a login takes by now: a session from before must be no way to add a factor of a thief's own. Throws NotWhileActing
   * to an admin who acts for the user, and can give no proof of theirs.
   */
  async assert({ user, session, isRecent }: Caller, tx?: Transaction): Promise<void> {
    if (session.acting) throw new NotWhileActing();
    if (isRecent && session.aal === 2) return;
    const factors = await this.factors.findOf(user.id, tx);
    const isWeak = hasSecondStep(factors) && usableFactors(factors).length > 0;
    if (!isRecent || isWeak) throw new StepUpRequired(await this.methodsWith(factors, user, tx));
  }

  /**
   * Asserts that for an act on roles, where one of them is an admin's: the thief of a session must neither make an
   * accomplice an admin, nor take the role from the admins who could stop them. Other roles give no such power.
   */
  async assertForAdmins(caller: Caller, roles: Role[], tx: Transaction): Promise<void> {
    if (roles.some((role) => isAtLeast(role, Role.ORG_ADMIN))) await this.assert(caller, tx);
  }

  /** Throws StepUpRequired for a route that asks for the password, where that alone does not log the user in. */
  async assertBesidePassword(caller: Caller): Promise<void> {
    if (caller.session.acting) throw new NotWhileActing();
    if (caller.isRecent && caller.session.aal === 2) return;
    const { id, passwordChangedAt } = caller.user;
    if (passwordChangedAt === null || hasSecondStep(await this.factors.findOf(id))) await this.assert(caller);
  }

  /**
   * The ways that will do for a user: those that a refusal offers, and that a step-up takes. Where a login takes a second
   * step, the password is none of them.
   */
  async methodsOf(user: CallerUser, tx?: Transaction): Promise<StepUpMethod[]> {
    return this.methodsWith(await this.factors.findOf(user.id, tx), user, tx);
  }

  /** A mailed code will do for an account that has nothing else, no login at a provider either: it is all that its login takes. */
  private async methodsWith(
    factors: Factors,
    { id, passwordChangedAt }: CallerUser,
    tx?: Transaction,
  ): Promise<StepUpMethod[]> {
    if (hasSecondStep(factors)) return usableFactors(factors);
    const methods: StepUpMethod[] = [];
    if (passwordChangedAt !== null) methods.push('password');
    if (factors.passkeys > 0) methods.push('passkey');
    if (methods.length > 0 || this.environment.emailCodeLogin === 'off') return methods;
    return (await this.identities.countOf(id, tx)) === 0 ? ['email_code'] : [];
  }
}
