import { IsOptional } from 'class-validator';
import { IsRecoveryCode, IsTotpCode } from '../../validation/rules.js';

/** Exactly one of them. */
export class SecondFactorCode {
  /** Six digits, of an authenticator app. */
  @IsOptional()
  @IsTotpCode()
  readonly totp?: string | null;

  @IsOptional()
  @IsRecoveryCode()
  readonly recovery_code?: string | null;
}

export class ConfirmTotp {
  @IsTotpCode()
  readonly code: string;
}
