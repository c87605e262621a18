import { IsIn, IsOptional } from 'class-validator';
import { PageQuery } from '../paging/page.js';
import { IsInstant } from '../validation/rules.js';
import { AUDIT_TYPES, type AuditType } from './audit-types.js';

export class ListAuditEvents extends PageQuery {
  @IsIn(['me', 'org', 'all'])
  readonly scope: 'me' | 'org' | 'all' = 'me';

  @IsOptional()
  @IsIn(AUDIT_TYPES)
  readonly type?: AuditType;

  @IsOptional()
  @IsInstant()
  readonly since?: Date;
}
