import { generateKeyPairSync } from 'node:crypto';

/** A fresh key for SVC_TOKEN_KEYS, as `token-key` prints it. */
export function newTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** The settings under which tokens are signed. */
export const TOKENS = { SVC_TOKEN_KEYS: newTokenKey(), SVC_TOKEN_AUDIENCES: 'reports,billing' };
