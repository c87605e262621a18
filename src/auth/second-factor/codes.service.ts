import { Injectable } from '@nestjs/common';
import { FactorsRepository, type StoredTotp } from '../../accounts/factors.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import type { CallerUser } from '../../http/caller.js';
import { InvalidCode, ValidationFailed } from '../../http/errors.js';
import { fieldError } from '../../http/problem.js';
import { AccountMails } from '../../mail/account-mails.js';
import { hashRecoveryCode } from './recovery-codes.js';
import type { SecondFactorCode } from './second-factor.dto.js';
import { TotpService } from './totp.service.js';

/** A code that a user typed. */
export type TypedCode = { kind: 'totp' | 'recovery_code'; code: string };

/** Uses up the codes of authenticator apps, and recovery codes, each once. Its callers count the attempts. */
@Injectable()
export class CodesService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly totp: TotpService,
    private readonly mails: AccountMails,
  ) {}

  /** The one code of a body. Throws ValidationFailed where there is none, or both kinds. */
  typed({ totp, recovery_code }: SecondFactorCode): TypedCode {
    if (totp && !recovery_code) return { kind: 'totp', code: totp };
    if (recovery_code && !totp) return { kind: 'recovery_code', code: recovery_code };
    throw new ValidationFailed([fieldError('totp', { code: 'both_given' })]);
  }

  /** Uses up a code of a user, who is locked, in the transaction of what the code allows. Throws InvalidCode. */
  async use(user: CallerUser, { kind, code }: TypedCode, tx: Transaction): Promise<void> {
    if (kind === 'recovery_code') return this.useRecoveryCode(user, code, tx);
    await this.useTotp(user.id, code, await this.factors.findTotp(user.id, tx), tx);
  }

  /** Uses up a code of the authenticator app that has a secret. Throws InvalidCode, also where no secret was found. */
  async useTotp(userId: string, code: string, found: StoredTotp | null, tx: Transaction): Promise<void> {
    const step = found && (await this.totp.stepOf(code, found.secret, found.presentStep));
    if (step === null || !(await this.factors.useStep(userId, step, tx))) throw new InvalidCode();
  }

  private async useRecoveryCode(user: CallerUser, code: string, tx: Transaction): Promise<void> {
    const { id: userId, orgId } = user;
    const isTheirs = await this.factors.useRecoveryCode(userId, hashRecoveryCode(code), tx);
    if (!isTheirs) throw new InvalidCode();
    const { recoveryCodesLeft: left } = await this.factors.findOf(userId, tx);
    await this.mails.recoveryCodeUsed(user, left, tx);
    await tx.as({ userId }).record('recovery_code.used', { userId, orgId, details: { left } });
  }
}
