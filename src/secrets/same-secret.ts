import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same, in a time that tells nothing about either, their length included. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** Whether a secret is among those that are accepted, in a time that does not tell which. */
export function isOneOf(presented: string, accepted: readonly string[]): boolean {
  return accepted.filter((secret) => isSameSecret(presented, secret)).length > 0;
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
