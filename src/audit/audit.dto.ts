import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { IsCursor, IsLimit } from '../http/page.js';
import { IsInstant, IsSearch } from '../validation/rules.js';
import { AUDIT_FAMILIES, AUDIT_TYPES } from './audit-types.js';

/** Which events a list is about. */
export class ExportAuditEvents {
  @IsIn(['me', 'org', 'all'])
  readonly scope: 'me' | 'org' | 'all' = 'me';

  /** Only what people did, or was done to them, who have this in their name or address; or what has this id. */
  @IsOptional()
  @IsSearch()
  readonly search?: string;

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

export class ListAuditEvents extends ExportAuditEvents {
  @IsLimit()
  readonly limit: number = 50;

  @IsCursor()
  readonly cursor?: string;
}

export class ListAuditDays {
  /** Whose events are counted: what this user did, and what was done to their account. */
  @IsUUID()
  readonly user_id: string;
}
