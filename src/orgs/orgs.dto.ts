import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { INVITATION_STATUSES, type InvitationStatus } from '../accounts/invitation.entity.js';
import { ORG_SORTS, type OrgSort } from '../accounts/orgs.repository.js';
import { MEMBER_SORTS, type UserSort } from '../accounts/user-order.js';
import { IsCursor, IsLimit, PageQuery } from '../http/page.js';
import { type OrgRole, Role } from '../http/role.js';
import {
  IfGiven,
  IsAddress,
  IsAddressPrefix,
  IsAddressTexts,
  IsCustomRole,
  IsIdList,
  IsLocale,
  IsName,
  IsPassword,
  IsSearch,
  IsTimeZone,
  IsToken,
  UnlessOther,
} from '../validation/rules.js';

/** The roles an organization can give; the highest is not among them. */
const ORG_ROLES = [Role.READONLY, Role.MEMBER, Role.ORG_ADMIN];

export class CreateOrg {
  @IsName()
  readonly name: string;

  @IsAddress()
  readonly admin_email: string;

  /** The language of mails to those of its members of whom none is known. */
  @IsOptional()
  @IsLocale()
  readonly locale?: string | null;
}

export class FoundOrg {
  @IsName()
  readonly name: string;
}

export class UpdateOrg {
  @IfGiven()
  @IsName()
  readonly name?: string;

  /** The language of mails to those of its members of whom none is known; null leaves it to the default. */
  @IsOptional()
  @IsLocale()
  readonly locale?: string | null;

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

/** A role that is given: a built-in one, or a custom one by its id, never both. */
export class RoleToGive {
  @UnlessOther<RoleToGive>('role', 'role_id')
  @IsIn(ORG_ROLES)
  readonly role?: OrgRole;

  @IfGiven()
  @IsCustomRole()
  readonly role_id?: string;
}

/** One of them at least, and of the roles one at most. */
export class UpdateMember {
  @UnlessOther<UpdateMember>('role', 'suspended', 'role_id')
  @IsIn(ORG_ROLES)
  readonly role?: OrgRole;

  /** A custom role of the organization, in place of a built-in one. */
  @IfGiven()
  @IsCustomRole()
  readonly role_id?: string;

  /** Whether the member is kept out of the organization, until it is set to false. */
  @IfGiven()
  @IsBoolean()
  readonly suspended?: boolean;
}

export class Invite extends RoleToGive {
  @IsAddress()
  readonly email: string;

  /** The language of the mail, for an address without an account. Without it, that of the organization or of the inviter. */
  @IsOptional()
  @IsLocale()
  readonly locale?: string | null;
}

export class InviteMany extends RoleToGive {
  @IsAddressTexts()
  readonly emails: string[];

  /** As `locale` of an invitation to one address. */
  @IsOptional()
  @IsLocale()
  readonly locale?: string | null;
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

  /** Of the account that is made; mails to it state instants by it. */
  @IsOptional()
  @IsTimeZone()
  readonly time_zone?: string | null;
}
