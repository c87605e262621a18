import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Signup } from '../../accounts/signup.entity.js';
import { Environment } from '../../config/environment.js';
import { derivedKey } from '../../secrets/derived-key.js';
import { normalPassword } from '../../secrets/normal-password.js';

const PURPOSE = 'password of a signup';

/**
 * Tells the password of a signup at the cost of no bcrypt hash: a login compares one hash whatever the address, and a
 * second one would tell that there are signups. Keyed, so that the table alone is no shortcut to the password, and
 * bound to the signup, so that two with one password do not look alike.
 */
@Injectable()
export class PasswordMac {
  private readonly keys: readonly [Uint8Array, ...Uint8Array[]];

  constructor({ jwtSecretKey: [secret, ...formerSecrets] }: Environment) {
    const keyFrom = (each: string) => derivedKey(each, PURPOSE);
    this.keys = [keyFrom(secret), ...formerSecrets.map(keyFrom)];
  }

  make(signupId: string, password: string): Buffer {
    return macOf(this.keys[0], signupId, normalPassword(password));
  }

  /**
   * Whether a password is that of a signup, made with any of the secrets that are accepted, of the password or, before
   * passwords were normalised, of what was typed.
   */
  isOf({ id, passwordMac }: Pick<Signup, 'id' | 'passwordMac'>, password: string): boolean {
    if (passwordMac === null) return false;
    const forms = [...new Set([normalPassword(password), password])];
    return this.keys.some((key) => forms.some((form) => timingSafeEqual(macOf(key, id, form), passwordMac)));
  }
}

function macOf(key: Uint8Array, signupId: string, password: string): Buffer {
  return createHmac('sha256', key).update(`${signupId}\0${password}`).digest();
}
