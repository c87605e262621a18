import { IsBoolean, IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageQuery } from '../http/page.js';
import { Role } from '../http/role.js';
import { IfGiven, IsAddressPrefix } from '../validation/rules.js';

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
}

/** Which users a list is about. */
export type UserFilter = Pick<ListUsers, 'email' | 'org_id' | 'role'>;

export class UpdateUser {
  @IfGiven()
  @IsIn(ROLES)
  readonly role?: Role;

  @IfGiven()
  @IsBoolean()
  readonly disabled?: boolean;
}
