import { IsBoolean, IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageQuery } from '../http/page.js';
import { Role } from '../http/role.js';
import { IfGiven, IsAddressPrefix, IsFlagText, IsIdList } from '../validation/rules.js';

const ROLES = Object.values(Role);

export class ListUsers extends PageQuery {
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

export class UpdateUser {
  @IfGiven()
  @IsIn(ROLES)
  readonly role?: Role;

  @IfGiven()
  @IsBoolean()
  readonly disabled?: boolean;
}
