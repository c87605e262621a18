import { IsOptional } from 'class-validator';
import { IsCredential, IsPassword } from '../../validation/rules.js';

/** Exactly one of them. */
export class StepUp {
  @IsOptional()
  @IsPassword()
  readonly password?: string | null;

  @IsOptional()
  @IsCredential()
  readonly credential?: object | null;
}
