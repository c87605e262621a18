import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Whether a password is the one that was hashed. */
type Comparison = (password: string) => Promise<boolean>;

/** A form in which another system writes the hashes of passwords. */
interface Form {
  /** Also a pattern of PostgreSQL's. */
  pattern: string;
  /** Returns null for a hash that costs more than a login may. */
  comparison: (hash: string, ...parts: string[]) => Comparison | null;
}

// What one login may cost: others wait for the same processors, and share the memory.
const MAX_BYTES = 256 * 1024 ** 2;
const MAX_PBKDF2_ROUNDS = 2_000_000;
const MAX_SCRYPT_LANES = 4;
const MAX_ARGON2_PASSES = 16;
const MAX_ARGON2_LANES = 16;

const NUMBER = '([1-9][0-9]{0,6})';
/** 8 to 190 bytes: less is no salt (RFC 9106, 3.1), and no key that a second password would not open. */
const BASE64 = '([A-Za-z0-9+/]{11,253}={0,2})';

const FORMS: readonly Form[] = [
  {
    // Django, whose salt is a text.
    pattern: `^pbkdf2_sha256[$]${NUMBER}[$]([^$]{1,128})[$]([A-Za-z0-9+/]{43}=)$`,
    comparison: (_, rounds = '', salt = '', key = '') =>
      Number(rounds) > MAX_PBKDF2_ROUNDS
        ? null
        : isKey(Buffer.from(key, 'base64'), (password, length) =>
            pbkdf2Key(password, salt, Number(rounds), length, 'sha256'),
          ),
  },
  {
    // passlib, in the PHC string format.
    pattern: `^[$]scrypt[$]ln=${NUMBER},r=${NUMBER},p=${NUMBER}[$]${BASE64}[$]${BASE64}$`,
    comparison: (_, ln = '', r = '', p = '', salt = '', key = '') => {
      const derive = scryptOf(ln, r, p, Buffer.from(salt, 'base64'));
      return derive && isKey(Buffer.from(key, 'base64'), derive);
    },
  },
  {
    // Better Auth and Lucia, whose salt is the text of its digits.
    pattern: '^([0-9a-f]{32}):([0-9a-f]{128})$',
    comparison: (_, salt = '', key = '') => {
      const derive = scryptOf('14', '16', '1', Buffer.from(salt));
      return (
        derive &&
        isKey(Buffer.from(key, 'hex'), (password, length) => derive(password.normalize('NFKC'), length))
      );
    },
  },
  {
    // Firebase, as Supabase writes it: the key made of the password encrypts the signer key of the project.
    pattern: `^[$]fbscrypt[$]v=1,n=${NUMBER},r=${NUMBER},p=${NUMBER},ss=([A-Za-z0-9+/]{2,253}={0,2}),sk=${BASE64}[$]${BASE64}[$]${BASE64}$`,
    comparison: (_, n = '', r = '', p = '', separator = '', signerKey = '', salt = '', encrypted = '') => {
      const [saltBytes, separatorBytes] = [Buffer.from(salt, 'base64'), Buffer.from(separator, 'base64')];
      const derive = scryptOf(n, r, p, Buffer.concat([saltBytes, separatorBytes]));
      return (
        derive &&
        isKey(Buffer.from(encrypted, 'base64'), async (password) => {
          const cipher = createCipheriv('aes-256-ctr', await derive(password, 32), Buffer.alloc(16));
          return cipher.update(signerKey, 'base64');
        })
      );
    },
  },
  {
    // Argon2 (RFC 9106), in the PHC string format.
    pattern: `^[$]argon2id?[$]v=19[$]m=${NUMBER},t=${NUMBER},p=${NUMBER}[$]${BASE64}[$]${BASE64}$`,
    comparison: (hash, kibibytes = '', passes = '', lanes = '') => {
      const isBounded =
        Number(kibibytes) * 1024 <= MAX_BYTES &&
        Number(kibibytes) >= 8 * Number(lanes) &&
        Number(passes) <= MAX_ARGON2_PASSES &&
        Number(lanes) <= MAX_ARGON2_LANES;
      return isBounded ? async (password) => (await import('argon2')).verify(hash, password) : null;
    },
  },
];

/** The forms of hashes made elsewhere, beside those of bcrypt. */
export const FOREIGN_FORMS: readonly string[] = FORMS.map(({ pattern }) => pattern);

/** What compares a password with a hash that another system made. Null for an unknown form, or one that costs too much. */
export function foreignComparison(hash: string): Comparison | null {
  for (const { pattern, comparison } of FORMS) {
    const parts = new RegExp(pattern).exec(hash);
    if (parts) return comparison(...(parts as unknown as [string, ...string[]]));
  }
  return null;
}

const pbkdf2Key = promisify(pbkdf2);
const scryptKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

type Derive = (password: string, length: number) => Promise<Buffer>;

/** Derives keys by scrypt (RFC 7914), `ln` being the logarithm of its cost. Null where it would cost too much. */
function scryptOf(ln: string, r: string, p: string, salt: Buffer): Derive | null {
  const [N, lanes] = [2 ** Number(ln), Number(p)];
  if (128 * N * Number(r) > MAX_BYTES || lanes > MAX_SCRYPT_LANES) return null;
  // As the standard has it; OpenSSL takes no other.
  if (Number(ln) >= 16 * Number(r)) return null;
  // OpenSSL counts a little more than the tables themselves.
  const cost = { N, r: Number(r), p: lanes, maxmem: 2 * MAX_BYTES };
  return (password, length) => scryptKey(password, salt, length, cost);
}

/** Compares a key with the one that a password gives, in constant time. */
function isKey(key: Buffer, derive: Derive): Comparison {
  return async (password) => {
    const derived = await derive(password, key.length);
    return derived.length === key.length && timingSafeEqual(derived, key);
  };
}
