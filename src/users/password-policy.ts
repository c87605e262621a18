import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { WeakPassword } from '../http/errors.js';
import { type Owner, weaknesses } from './password-strength.js';

/** What a new password must be. */
@Injectable()
export class PasswordPolicy {
  constructor(private readonly environment: Environment) {}

  /** Throws WeakPassword, with the reasons beside the field, when a password is too easy to guess. */
  refuseWeak(field: string, password: string, owner: Owner): void {
    const reasons = weaknesses(password, owner, this.environment.passwordMinLength);
    if (reasons.length > 0) throw new WeakPassword(field, reasons);
  }
}
