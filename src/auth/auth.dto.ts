import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { Role } from '../http/role.js';
import {
  IfGiven,
  IsAddress,
  IsLocale,
  IsMailedCode,
  IsName,
  IsPassword,
  IsTimeZone,
  IsToken,
  UnlessGiven,
} from '../validation/rules.js';

export class Credentials {
  @IsAddress()
  readonly email: string;

  @IsPassword()
  readonly password: string;
}

export class Signup extends Credentials {
  @IsOptional()
  @IsName()
  readonly name?: string | null;

  /** By which mails to the user state instants, instead of UTC. */
  @IsOptional()
  @IsTimeZone()
  readonly time_zone?: string | null;
}

export class SignupOrg extends Signup {
  @IsName()
  readonly org_name: string;
}

export class Address {
  @IsAddress()
  readonly email: string;
}

/** Whom an admin may make by hand. A SYSTEM_ADMIN is appointed once the address is confirmed. */
const ROLES_BY_HAND = [Role.READONLY, Role.MEMBER, Role.ORG_ADMIN] as const;

export class CreateUser extends Address {
  @IsOptional()
  @IsName()
  readonly name?: string | null;

  @IfGiven()
  @IsIn(ROLES_BY_HAND)
  readonly role: (typeof ROLES_BY_HAND)[number] = Role.MEMBER;

  /** Needed in B2B, where every user who is made so belongs to an organization. */
  @IsOptional()
  @IsUUID()
  readonly org_id?: string | null;
}

export class MailedToken {
  @IsToken()
  readonly token: string;
}

/** The token of a mailed link, or the code beside it: exactly one. */
export class MailedSecret {
  @UnlessGiven('code')
  @IsToken()
  readonly token?: string | null;

  /** In the browser that asked for the mail. */
  @IsOptional()
  @IsMailedCode()
  readonly code?: string | null;
}

export class VerifyEmail extends MailedSecret {
  /** That of the signup. */
  @IsOptional()
  @IsPassword()
  readonly password?: string | null;

  /** In place of all that the signup said. */
  @IsOptional()
  @IsPassword()
  readonly new_password?: string | null;
}

export class ResetPassword extends MailedSecret {
  @IsPassword()
  readonly new_password: string;
}

export class UpdateMe {
  @IsOptional()
  @IsName()
  readonly name?: string | null;

  /** The language of mails to the user; null leaves it to the organization, or to the default. */
  @IsOptional()
  @IsLocale()
  readonly locale?: string | null;

  /** By which mails state instants; null for UTC. */
  @IsOptional()
  @IsTimeZone()
  readonly time_zone?: string | null;
}

export class ChangeEmail {
  @IsAddress()
  readonly new_email: string;

  /** Required of an account that has one. */
  @IsOptional()
  @IsPassword()
  readonly current_password?: string | null;
}

export class DeleteAccount {
  /** Required of an account that has one. */
  @IsOptional()
  @IsPassword()
  readonly current_password?: string | null;
}

export class RemovePassword extends DeleteAccount {}

export class UpdatePassword {
  /** Required of an account that has one. */
  @IsOptional()
  @IsPassword()
  readonly current_password?: string | null;

  @IsPassword()
  readonly new_password: string;
}
