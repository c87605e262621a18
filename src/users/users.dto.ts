import { IsOptional } from 'class-validator';
import { IsName } from '../validation/rules.js';

export class UpdateMe {
  @IsOptional()
  @IsName()
  readonly name?: string | null;
}
