import { IsMailedCode } from '../../validation/rules.js';

export class LoginCode {
  /** In the browser that asked for the mail. */
  @IsMailedCode()
  readonly code: string;
}
