import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { INVITATION_STATUSES, type InvitationStatus } from '../accounts/invitation.entity.js';
import { ORG_SORTS, type OrgSort } from '../accounts/orgs.repository.js';
import { MEMBER_SORTS, type UserSort } from '../accounts/user-order.js';
import { IsCursor, IsLimit, PageQuery } from '../http/page.js';
import { Role } from '../http/role.js';
import {
  IfGiven,
  IsAddress,
  IsAddressPrefix,
  IsAddressTexts,
  IsIdList,
  IsName,
  IsPassword,
  IsSearch,
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
  @IsIn(ORG_SORTS)
  readonly sort: OrgSort = '-created_at';

  /** A part of the name, in upper or lower case, or how the id begins. */
  @IsOptional()
  @IsSearch()
  readonly search?: string;

  /** A part of the name, in upper or lower case. */
  @IsOptional()
  @IsName()
  readonly name?: string;

  /** Only these; unknown ones are left out. */
  @IsOptional()
  @IsIdList()
  readonly ids?: string[];
}

/** Which members a list is about, and in which order. */
export class ExportMembers {
  /** What they are sorted by; with a hyphen the highest comes first. */
  @IsIn(MEMBER_SORTS)
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
  @IsIn(Object.values(Role))
  readonly role?: Role;

  /** Only these; unknown ones are left out. */
  @IsOptional()
  @IsIdList()
  readonly ids?: string[];
}

export class ListMembers extends ExportMembers {
  @IsLimit()
  readonly limit: number = 50;

  @IsCursor()
  readonly cursor?: string;
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

export class InviteMany {
  @IsAddressTexts()
  readonly emails: string[];

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
