import { IsOptional } from 'class-validator';
import { IsCredential, IsMailedCode, IsPassword } from '../../validation/rules.js';
import { SecondFactorCode } from '../second-factor/second-factor.dto.js';

/** Exactly one of them. */
export class StepUp extends SecondFactorCode {
  @IsOptional()
  @IsPassword()
  readonly password?: string | null;

  @IsOptional()
  @IsCredential()
  readonly credential?: object | null;

  /** The code of a mail, in the browser that asked for it in this session. */
  @IsOptional()
  @IsMailedCode()
  readonly email_code?: string | null;
}
