import { generateKeyPairSync } from 'node:crypto';

/** `token-key`: a fresh key for SVC_TOKEN_KEYS. */
export function tokenKey(): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  console.log(privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'));
}
