import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same, in a time that depends on neither of them, nor on their length. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** Whether a secret is among those that are accepted, in a time that does not depend on which one it is. */
export function isOneOf(presented: string, accepted: readonly string[]): boolean {
  return accepted.filter((secret) => isSameSecret(presented, secret)).length > 0;
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
