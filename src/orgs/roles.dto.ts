import { IsIn } from 'class-validator';
import { type CustomRoleBase, Role } from '../http/role.js';
import { IsName, IsPermissionNames, UnlessOther } from '../validation/rules.js';

const BASES = [Role.READONLY, Role.MEMBER];

export class MakeRole {
  @IsName()
  readonly name: string;

  /** Its place in the order of the roles, which never changes. None administers the organization. */
  @IsIn(BASES)
  readonly base: CustomRoleBase;

  /** All that it may do: nothing comes from the base. */
  @IsPermissionNames()
  readonly permissions: string[];
}

/** One of them at least. */
export class UpdateRole {
  @UnlessOther<UpdateRole>('name', 'permissions')
  @IsName()
  readonly name?: string;

  /** All that it may do from now on. What no longer counts may stay where it is. */
  @UnlessOther<UpdateRole>('permissions', 'name')
  @IsPermissionNames()
  readonly permissions?: string[];
}
