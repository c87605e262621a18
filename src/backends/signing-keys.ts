import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { named, oneOf, text } from '../validation/schema.js';

const ALGORITHM = 'ES256';

export const PublicKeySchema = named('PublicKey', {
  kty: oneOf(['EC'] as const),
  crv: oneOf(['P-256'] as const),
  x: text,
  y: text,
  kid: text,
  use: oneOf(['sig'] as const),
  alg: oneOf([ALGORITHM] as const),
});

/** A key of `SVC_TOKEN_KEYS`, with its public half as back ends read it (RFC 7517). */
export interface SigningKey {
  privateKey: KeyObject;
  /** The first part of each token that it signs. */
  header: string;
  jwk: { kty: 'EC'; crv: 'P-256'; x: string; y: string; kid: string; use: 'sig'; alg: typeof ALGORITHM };
}

/** The keys that sign what back ends verify: the first signs, and all are published. There are none by default. */
@Injectable()
export class SigningKeys {
  readonly all: SigningKey[];

  constructor({ tokenKeys }: Environment) {
    this.all = (tokenKeys ?? []).map(signingKey);
  }
}

function signingKey(der: string): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' });
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = thumbprint(x, y);
  return {
    privateKey,
    header: inBase64Url({ alg: ALGORITHM, typ: 'JWT', kid }),
    jwk: { kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: ALGORITHM },
  };
}

/** A part of a JWT (RFC 7515 §2). */
export function inBase64Url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** The name of a key, which any reader of the key can compute (RFC 7638 §3). */
function thumbprint(x: string, y: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
}
