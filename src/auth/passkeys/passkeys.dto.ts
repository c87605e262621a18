import { IsBoolean, IsOptional } from 'class-validator';
import { IfGiven, IsCredential, IsName } from '../../validation/rules.js';

class Signed {
  @IsCredential()
  readonly credential: object;
}

export class PasskeyLogin extends Signed {
  /**
   * Whether this is the second step of the login that waits in the browser, and links its identity: for a page that says
   * so. By default false.
   */
  @IfGiven()
  @IsBoolean()
  readonly second_step?: boolean;
}

export class RegisterPasskey extends Signed {
  /** By default the browser and the system it was made with. */
  @IsOptional()
  @IsName()
  readonly name?: string | null;
}

export class RenamePasskey {
  @IsName()
  readonly name: string;
}
