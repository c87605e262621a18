import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageQuery } from '../http/page.js';
import { IsInstant } from '../validation/rules.js';
import { AUDIT_FAMILIES, AUDIT_TYPES } from './audit-types.js';

export class ListAuditEvents extends PageQuery {
  @IsIn(['me', 'org', 'all'])
  readonly scope: 'me' | 'org' | 'all' = 'me';

  /** Only what this user did, and what was done to their account. */
  @IsOptional()
  @IsUUID()
  readonly user_id?: string;

  /** Only what happened in this organization; for the scope `all`. */
  @IsOptional()
  @IsUUID()
  readonly org_id?: string;

  /** One type, or a family of them. */
  @IsOptional()
  @IsIn([...AUDIT_TYPES, ...AUDIT_FAMILIES])
  readonly type?: string;

  @IsOptional()
  @IsInstant()
  readonly since?: Date;

  /** Only what happened before this instant. */
  @IsOptional()
  @IsInstant()
  readonly until?: Date;
}
