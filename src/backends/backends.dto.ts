import { IsIn } from 'class-validator';
import { Role } from '../http/role.js';
import { KeptOnceChecked } from '../http/validation.pipe.js';
import {
  IfGiven,
  IsAudience,
  IsFlagText,
  IsMethodOfRule,
  IsOrgOfRule,
  IsPermissionsOfRule,
} from '../validation/rules.js';

/** The rule that a proxy has in its configuration. A field that it does not name is a 400, so that a mistyped rule admits no caller. */
@KeptOnceChecked()
export class VerifyQuery {
  @IfGiven()
  @IsIn(Object.values(Role))
  readonly min_role?: Role;

  /** Permissions, comma-separated, of which the caller needs all. */
  @IfGiven()
  @IsPermissionsOfRule()
  readonly permission?: string;

  /** The organization that the request is for. Where it is `header`, the `Latchkey-Org` of the request says which. */
  @IfGiven()
  @IsOrgOfRule()
  readonly org?: string;

  /** The method of the request, by which an admin is judged who may only look. Where it is `header`, `X-Forwarded-Method` says. */
  @IfGiven()
  @IsMethodOfRule()
  readonly method?: string;

  /** Whether the answer says if the caller has a subscription. */
  @IsFlagText()
  readonly subscription: boolean = false;

  /** Whether the body says what the caller may do. */
  @IsFlagText()
  readonly access: boolean = false;

  /** The back end that the signed token in `Latchkey-Assertion` is for. */
  @IfGiven()
  @IsAudience()
  readonly audience?: string;

  /** What a browser that asks for a page without a session gets in place of the 401. */
  @IfGiven()
  @IsIn(['redirect'])
  readonly login?: 'redirect';
}

/** Few back ends are asked for, again and again. */
@KeptOnceChecked()
export class TokenFor {
  @IsAudience()
  readonly audience: string;
}
