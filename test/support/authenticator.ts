import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a ceremony may do differently from an honest browser with an honest authenticator. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: unknown;
  isPresent?: boolean;
  isVerified?: boolean;
  isBackupEligible?: boolean;
  isBackedUp?: boolean;
  algorithm?: number;
  /** A public key in place of its own, as COSE. */
  publicKey?: Map<number, unknown>;
  format?: string;
  statement?: Map<string, unknown>;
  userHandle?: string | null;
  credentialId?: Buffer | undefined;
}

interface Key {
  id: Buffer;
  privateKey: KeyObject;
  rpId: string;
  userHandle: string;
  signCount: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the options as the service answers them.
type Options = any;

const ORIGIN = 'http://localhost:5173';
const ES256 = -7;

/** An authenticator, and the browser in front of it: it makes passkeys and signs with them (WebAuthn Level 3 §6, §7). */
export class Authenticator {
  readonly keys: Key[] = [];

  /** One that counts sends 1, 2, 3…; synced passkeys always send 0. */
  constructor(readonly counts = false) {}

  /** What `navigator.credentials.create` gives for some options, as JSON. */
  create(options: Options, deviation: Deviation = {}) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = deviation.credentialId ?? randomBytes(32);
    const key: Key = { id, privateKey, rpId: options.rp.id, userHandle: options.user.id, signCount: 0 };
    this.keys.push(key);
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const coseKey = cbor(
      deviation.publicKey ??
        new Map<number, unknown>([
          [1, 2],
          [3, deviation.algorithm ?? ES256],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey]);
    const attestationObject = cbor(
      new Map<string, unknown>([
        ['fmt', deviation.format ?? 'none'],
        ['attStmt', deviation.statement ?? new Map()],
        ['authData', this.authenticatorData(key, deviation, attested)],
      ]),
    );
    const clientData = clientDataOf('webauthn.create', options.challenge, deviation);
    return credentialOf(id, {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid', 'carrier-pigeon'],
    });
  }

  /** What `navigator.credentials.get` gives for some options, as JSON, with the last passkey made. */
  get(options: Options, deviation: Deviation = {}) {
    const key = this.keys.at(-1);
    if (!key) throw new Error('the authenticator has no passkey');
    if (this.counts) key.signCount += 1;
    const authenticatorData = this.authenticatorData(key, deviation);
    const clientData = clientDataOf('webauthn.get', options.challenge, deviation);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const handle = deviation.userHandle === undefined ? key.userHandle : deviation.userHandle;
    return credentialOf(deviation.credentialId ?? key.id, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, key.privateKey).toString('base64url'),
      ...(handle !== null && { userHandle: handle }),
    });
  }

  private authenticatorData(key: Key, deviation: Deviation, attested?: Buffer): Buffer {
    const { isPresent = true, isVerified = true, isBackupEligible = true, isBackedUp = true } = deviation;
    const flags =
      (isPresent ? 0x01 : 0) |
      (isVerified ? 0x04 : 0) |
      (isBackupEligible ? 0x08 : 0) |
      (isBackedUp ? 0x10 : 0) |
      (attested ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(key.signCount);
    const rpIdHash = sha256(Buffer.from(deviation.rpId ?? key.rpId));
    return Buffer.concat([rpIdHash, Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  }
}

function clientDataOf(type: string, challenge: string, deviation: Deviation): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? ORIGIN,
      crossOrigin: deviation.crossOrigin ?? false,
    }),
  );
}

/** With the members that browsers add beside those of the contract. */
function credentialOf(id: Buffer, response: object) {
  return {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: { credProps: { rk: true } },
    response,
  };
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** CBOR (RFC 8949) of what the ceremonies need: integers, bytes, texts, lists and maps. */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new Error(`no CBOR of ${typeof value}`);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255]);
}
