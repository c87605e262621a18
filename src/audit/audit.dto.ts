import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageQuery } from '../http/page.js';
import { IsInstant } from '../validation/rules.js';
import { AUDIT_TYPES, type AuditType } from './audit-types.js';

export class ListAuditEvents extends PageQuery {
  @IsIn(['me', 'org', 'all'])
  readonly scope: 'me' | 'org' | 'all' = 'me';

  /** Only what this user did, and what was done to their account. */
  @IsOptional()
  @IsUUID()
  readonly user_id?: string;

  @IsOptional()
  @IsIn(AUDIT_TYPES)
  readonly type?: AuditType;

  @IsOptional()
  @IsInstant()
  readonly since?: Date;
}
