import { IsIn, IsOptional } from 'class-validator';
import { IsInstant } from '../validation/rules.js';

export class SummarizeActivity {
  @IsIn(['me', 'org'])
  readonly scope: 'me' | 'org' = 'me';

  @IsOptional()
  @IsInstant()
  readonly since?: Date | null;
}
