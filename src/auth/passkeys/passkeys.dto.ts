import { IsOptional } from 'class-validator';
import { IsCredential, IsName } from '../../validation/rules.js';

export class PasskeyLogin {
  @IsCredential()
  readonly credential: object;
}

export class RegisterPasskey extends PasskeyLogin {
  /** By default the browser and the system it was made with. */
  @IsOptional()
  @IsName()
  readonly name?: string | null;
}

export class RenamePasskey {
  @IsName()
  readonly name: string;
}
