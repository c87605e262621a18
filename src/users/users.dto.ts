import { IsBoolean, IsIn, IsOptional, IsUUID } from 'class-validator';
import { USER_SORTS, type UserSort } from '../accounts/user-order.js';
import { IsCursor, IsLimit } from '../http/page.js';
import { Role } from '../http/role.js';
import { IfGiven, IsAddressPrefix, IsFlagText, IsIdList, IsName, IsSearch } from '../validation/rules.js';

const ROLES = Object.values(Role);

/** Which users a list is about, and in which order. */
export class ExportUsers {
  /** What they are sorted by; with a hyphen the highest comes first. */
  @IsIn(USER_SORTS)
  readonly sort: UserSort = '-created_at';

  /** A part of the name or the address, in upper or lower case, or how the id begins. */
  @IsOptional()
  @IsSearch()
  readonly search?: string;

  /** How the address begins. */
  @IsOptional()
  @IsAddressPrefix()
  readonly email?: string;

  @IsOptional()
  @IsUUID()
  readonly org_id?: string;

  @IsOptional()
  @IsIn(ROLES)
  readonly role?: Role;

  @IsOptional()
  @IsFlagText()
  readonly disabled?: boolean;

  /** Only these; unknown ones are left out. */
  @IsOptional()
  @IsIdList()
  readonly ids?: string[];
}

export class ListUsers extends ExportUsers {
  @IsLimit()
  readonly limit: number = 50;

  @IsCursor()
  readonly cursor?: string;
}

export class UpdateUser {
  /** `null` takes the name away. */
  @IsOptional()
  @IsName()
  readonly name?: string | null;

  @IfGiven()
  @IsIn(ROLES)
  readonly role?: Role;

  @IfGiven()
  @IsBoolean()
  readonly disabled?: boolean;
}
