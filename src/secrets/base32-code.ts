import { randomBytes } from 'node:crypto';

/** Crockford's Base32: no I, L, O or U, which readers mistake for others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A fresh code of so many characters, five random bits each, in groups of four, such as `7Q4M-0ZK2`. */
export function mintBase32Code(characters: number): string {
  // 256 is a multiple of 32: each character is as likely as the others.
  const random = [...randomBytes(characters)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return random.join('').replace(/.{4}(?=.)/g, '$&-');
}
