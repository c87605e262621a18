import { IsOptional } from 'class-validator';
import { IsCredential, IsPassword } from '../../validation/rules.js';
import { SecondFactorCode } from '../second-factor/second-factor.dto.js';

/** Exactly one of them. */
export class StepUp extends SecondFactorCode {
  @IsOptional()
  @IsPassword()
  readonly password?: string | null;

  @IsOptional()
  @IsCredential()
  readonly credential?: object | null;
}
