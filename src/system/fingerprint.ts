import { createHmac } from 'node:crypto';
import type { Secrets } from '../config/environment.js';
import { derivedKey } from '../secrets/derived-key.js';

const PURPOSE = 'fingerprint';
const HEX_DIGITS = 8;

/**
 * What shows that two replicas have the same secret, and nothing else of it: it is keyed, so that its reader cannot test
 * a guess.
 */
export function fingerprint(secret: string, [key]: Secrets): string {
  return createHmac('sha256', derivedKey(key, PURPOSE)).update(secret).digest('hex').slice(0, HEX_DIGITS);
}
