import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Whose a key is: an organization's, or the operator's. */
export type KeyOwner = 'org' | 'svc';

const SECRET_BYTES = 32;

/** What 32 bytes take in base 62. */
const SECRET_LENGTH = 43;

const CHECKSUM_LENGTH = 6;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const FORM = new RegExp(`^[a-z][a-z0-9]{1,15}_(?:org|svc)_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * A fresh secret of a key: the product's prefix, whose it is, 256 random bits, and a checksum of all that. A double click
 * selects the whole of it, and a scanner that looks for leaked secrets finds it.
 */
export function mintKey(prefix: string, owner: KeyOwner): string {
  const random = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  const secret = `${prefix}_${owner}_${inBase62(random, SECRET_LENGTH)}`;
  return `${secret}${checksumOf(secret)}`;
}

/** Whether a text has the form of a key. This keeps garbage away from the database, and protects nothing. */
export function isKey(text: string): boolean {
  return FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** What tells the secrets of one key apart to its admins. */
export const hintOf = (secret: string) => secret.slice(-4);

const checksumOf = (text: string) => inBase62(BigInt(crc32(text)), CHECKSUM_LENGTH);

function inBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}
