import { IsOptional } from 'class-validator';
import { IsAddress, IsName, IsPassword, IsToken } from '../validation/rules.js';

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
}

export class SignupOrg extends Signup {
  @IsName()
  readonly org_name: string;
}

export class Address {
  @IsAddress()
  readonly email: string;
}

export class MailedToken {
  @IsToken()
  readonly token: string;
}

export class VerifyEmail extends MailedToken {
  /** That of the signup. */
  @IsOptional()
  @IsPassword()
  readonly password?: string | null;

  /** In place of all that the signup said. */
  @IsOptional()
  @IsPassword()
  readonly new_password?: string | null;
}

export class ResetPassword {
  @IsToken()
  readonly token: string;

  @IsPassword()
  readonly new_password: string;
}

export class UpdateMe {
  @IsOptional()
  @IsName()
  readonly name?: string | null;
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
