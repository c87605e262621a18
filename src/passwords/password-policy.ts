import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { WeakPassword } from '../http/errors.js';
import { normalPassword } from '../secrets/normal-password.js';
import type { Reason, ReasonCode } from '../validation/reasons.js';
import { BreachedPasswords } from './breached-passwords.js';
import { isCommon } from './common-passwords.js';

/** Letters and digits that must be left when the user's own words are taken out. */
const MIN_REST = 6;

/** Shorter words are in too many good passwords. */
const MIN_WORD = 3;

/** Whose password it is, for what an attacker would try first. */
interface Owner {
  email: string;
  name: string | null;
}

/** What a new password must be. */
@Injectable()
export class PasswordPolicy {
  constructor(
    private readonly environment: Environment,
    private readonly breaches: BreachedPasswords,
  ) {}

  /**
   * Throws WeakPassword, with the reasons beside the field, when a password is too easy to guess, or stolen. Callers do
   * so before they look an address up, as the question to Pwned Passwords would tell a stranger what they found, and
   * before they open a transaction, as it may take a second.
   */
  async refuseWeak(field: string, typed: string, owner: Owner): Promise<void> {
    const password = normalPassword(typed);
    const minLength = this.environment.passwordMinLength;
    const reasons = await weaknesses(password, owner);
    // One character may become many in the normal form: the owner chose no more than what they typed.
    if ([typed, password].some((form) => [...form].length < minLength))
      reasons.unshift({ code: 'too_short', min: minLength });
    if (reasons.length > 0) throw new WeakPassword(field, reasons);
    if (await this.breaches.have(password)) throw new WeakPassword(field, [{ code: 'in_breaches' }]);
  }
}

/** Why a password is too easy to guess, none when it will do (NIST SP 800-63B §3.1.1.2). */
async function weaknesses(password: string, owner: Owner): Promise<Reason[]> {
  const reasons: { applies: boolean; code: ReasonCode }[] = [
    { applies: await isCommon(password), code: 'too_common' },
    { applies: isPattern(password), code: 'repeats' },
    { applies: isOwn(password, owner), code: 'own_words' },
  ];
  return reasons.filter(({ applies }) => applies).map(({ code }) => ({ code }));
}

/** `aaaaaaaa`, `abcdabcd`, `23456789`, `hgfedcba`. */
function isPattern(password: string): boolean {
  const codes = [...password].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)));
  const [step = 0] = steps;
  return /^(.{1,4})\1+$/su.test(password) || (steps.size === 1 && Math.abs(step) <= 1);
}

function isOwn(password: string, { email, name }: Owner): boolean {
  const words = [...email.split('@'), ...email.split(/[^\p{L}\d]+/u), ...(name ?? '').split(/[^\p{L}\d]+/u)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD)
    .sort((one, other) => other.length - one.length);
  const plain = password.toLowerCase();
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), plain);
  return rest !== plain && rest.replace(/[^\p{L}\d]/gu, '').length < MIN_REST;
}
