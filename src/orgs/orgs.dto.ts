import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { INVITATION_STATUSES, type InvitationStatus } from '../accounts/invitation.entity.js';
import { PageQuery } from '../http/page.js';
import { Role } from '../http/role.js';
import {
  IfGiven,
  IsAddress,
  IsAddressPrefix,
  IsIdList,
  IsName,
  IsPassword,
  IsToken,
} from '../validation/rules.js';

/** The roles an organization can give; the highest is not among them. */
const ORG_ROLES = [Role.READONLY, Role.MEMBER, Role.ORG_ADMIN];

export class CreateOrg {
  @IsName()
  readonly name: string;

  @IsAddress()
  readonly admin_email: string;
}

export class FoundOrg {
  @IsName()
  readonly name: string;
}

export class UpdateOrg {
  @IfGiven()
  @IsName()
  readonly name?: string;

  /** Whether every member must have a second factor; turned on by an admin who has one. */
  @IfGiven()
  @IsBoolean()
  readonly second_factor_required?: boolean;
}

export class ListOrgs extends PageQuery {
  /** A part of the name, in upper or lower case. */
  @IsOptional()
  @IsName()
  readonly name?: string;

  /** Only these; unknown ones are left out. */
  @IsOptional()
  @IsIdList()
  readonly ids?: string[];
}

export class ListMembers extends PageQuery {
  @IsOptional()
  @IsAddressPrefix()
  readonly email?: string;

  @IsOptional()
  @IsIn(Object.values(Role))
  readonly role?: Role;

  /** Only these; unknown ones are left out. */
  @IsOptional()
  @IsIdList()
  readonly ids?: string[];
}

export class UpdateMember {
  @IsIn(ORG_ROLES)
  readonly role: Role;
}

export class Invite {
  @IsAddress()
  readonly email: string;

  @IsIn(ORG_ROLES)
  readonly role: Role;
}

export class InvitationsQuery extends PageQuery {
  @IsOptional()
  @IsIn(INVITATION_STATUSES)
  readonly status?: InvitationStatus;
}

export class InvitationToken {
  @IsToken()
  readonly token: string;
}

export class AcceptInvitation extends InvitationToken {
  @IsOptional()
  @IsPassword()
  readonly password?: string | null;

  @IsOptional()
  @IsName()
  readonly name?: string | null;
}
