import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey } from '../../accounts/passkey.entity.js';
import { type NewPasskey, PasskeysRepository, type Use } from '../../accounts/passkeys.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import { allowedOrigins } from '../../config/origins.js';
import { pageOrigins } from '../../config/pages.js';
import type { CallerUser } from '../../http/caller.js';
import { InvalidPasskey, UnknownPasskey } from '../../http/errors.js';
import { SignedStates } from '../login/signed-states.js';
import { type CeremonyPurpose, Challenges } from './challenges.js';

/** EdDSA, ES256 and RS256 (RFC 9053), in the order of preference. */
const ALGORITHMS = [-8, -7, -257];

const TIMEOUT_MS = 300_000;

/** What a browser may say of the way to an authenticator. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

const MAX_CREDENTIAL_BYTES = 1023;
const MIN_CREDENTIAL_BYTES = 16;

/** Twice what RSA of 8,192 bits needs, so that no user stores more than a key. */
const MAX_KEY_BYTES = 2_048;

/** Twice what a browser sends of the largest key. The library decodes each part several times, item by item. */
const MAX_CREDENTIAL_LENGTH = 16_384;

/** A key of RSA of 8,192 bits, the longest id and a signature take 3,200. Each item that fills the rest takes microseconds to decode. */
const MAX_ATTESTATION_BYTES = 4_096;

/** What a passkey has signed: which it is, and the challenge, which is not used up yet. */
export interface Assertion {
  passkey: Passkey;
  challengeId: string;
  use: Use;
}

/** A new passkey, and the challenge, which is not used up yet. */
export interface Registration {
  passkey: Omit<NewPasskey, 'id' | 'userId' | 'name'>;
  challengeId: string;
}

/**
 * The ceremonies of WebAuthn Level 3: what a browser is asked (§5.4, §5.5), and the check of what it answers (§7.1, §7.2).
 * All of it is checked here, whatever the browser claims; every fault is an InvalidPasskey.
 */
@Injectable()
export class CeremoniesService {
  private readonly origins: string[];

  constructor(
    private readonly challenges: Challenges,
    private readonly states: SignedStates,
    private readonly passkeys: PasskeysRepository,
    private readonly environment: Environment,
  ) {
    this.origins = [...allowedOrigins(environment), ...pageOrigins(environment)];
  }

  /** PublicKeyCredentialCreationOptionsJSON, for a user who has some passkeys. */
  async creationOptions({ id, email, name }: CallerUser, passkeys: Passkey[], sessionId: string) {
    this.prepare();
    return {
      challenge: await this.challenges.issue('passkey-register', sessionId),
      rp: { id: this.passkeys.rpId, name: this.environment.productName },
      user: { id: userHandle(id), name: email, displayName: name ?? email },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: passkeys.map(descriptor),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      extensions: { credProps: true },
      timeout: TIMEOUT_MS,
    };
  }

  /** PublicKeyCredentialRequestOptionsJSON, which names the passkeys that will do: with none, any of this domain. */
  async requestOptions(
    purpose: 'passkey-login' | 'passkey-step-up',
    bound: string,
    passkeys: Passkey[] = [],
  ) {
    this.prepare();
    return {
      challenge: await this.challenges.issue(purpose, bound),
      rpId: this.passkeys.rpId,
      allowCredentials: passkeys.map(descriptor),
      userVerification: 'required',
      timeout: TIMEOUT_MS,
    };
  }

  /** Checks an answer to creation options. Throws InvalidPasskey. */
  async checkRegistration(credential: object, sessionId: string): Promise<Registration> {
    const challenge = challengeIn(credential);
    const challengeId = await this.challenges.check(challenge, 'passkey-register', sessionId);
    return { challengeId, passkey: await this.verifyRegistration(credential, challenge) };
  }

  /** Checks an answer to request options. Throws InvalidPasskey, and UnknownPasskey when it opens no account. */
  async checkAssertion(credential: object, purpose: CeremonyPurpose, bound: string): Promise<Assertion> {
    const challenge = challengeIn(credential);
    const challengeId = await this.challenges.check(challenge, purpose, bound);
    const passkey = await this.passkeys.findByCredential(credentialIdIn(credential));
    if (!passkey) throw new UnknownPasskey();
    if (purpose === 'passkey-login' && !hasUserHandle(credential)) throw new InvalidPasskey();
    return { passkey, challengeId, use: await this.verifyAssertion(credential, challenge, passkey) };
  }

  /** Uses a challenge up, in the transaction of what it allows. Throws InvalidPasskey when it was used before. */
  async useUp(challengeId: string, tx: Transaction): Promise<void> {
    if (!(await this.states.use(challengeId, tx))) throw new InvalidPasskey();
  }

  /**
   * Takes an assertion once, in the transaction of what it allows, which has locked the owner. Throws InvalidPasskey, and
   * UnknownPasskey when it was removed meanwhile.
   */
  async accept({ passkey, challengeId, use }: Assertion, tx: Transaction): Promise<void> {
    await this.useUp(challengeId, tx);
    if (await this.passkeys.noteUse(passkey.id, use, tx)) return;
    throw (await this.passkeys.exists(passkey.id, tx)) ? new InvalidPasskey(true) : new UnknownPasskey();
  }

  private async verifyRegistration(credential: object, challenge: string) {
    const { verifyRegistrationResponse } = await library();
    const { decodeAttestationObject } = await helpers();
    const response = credential as RegistrationResponseJSON;
    return this.orInvalid(async () => {
      const { fmt, attStmt } = statementOf(response, decodeAttestationObject);
      // A conforming browser sends no certificate when asked for none, and the library would follow its addresses. It would
      // also decode all that a statement holds several times.
      const ofSelfAttestation = [attStmt.get('alg'), attStmt.get('sig')].filter(
        (member) => member !== undefined,
      );
      if (!['none', 'packed'].includes(String(fmt)) || attStmt.size > ofSelfAttestation.length) return null;

      const { registrationInfo } = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: this.origins,
        expectedRPID: this.passkeys.rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!registrationInfo || registrationInfo.credential.publicKey.length > MAX_KEY_BYTES) return null;
      const { credential: verified, credentialDeviceType, credentialBackedUp } = registrationInfo;
      return {
        credentialId: sizedId(verified.id),
        publicKey: Buffer.from(verified.publicKey),
        signCount: String(verified.counter),
        transports: TRANSPORTS.filter((known) =>
          [response.response.transports].flat().some((it) => it === known),
        ),
        backupEligible: credentialDeviceType === 'multiDevice',
        backedUp: credentialBackedUp,
      };
    });
  }

  private async verifyAssertion(credential: object, challenge: string, passkey: Passkey): Promise<Use> {
    const { verifyAuthenticationResponse } = await library();
    const response = credential as AuthenticationResponseJSON;
    return this.orInvalid(async () => {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: this.origins,
        expectedRPID: this.passkeys.rpId,
        requireUserVerification: true,
        // The library compares the count before it checks the signature; the database compares it afterwards.
        credential: { id: response.id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
      });
      const { userHandle: handle } = response.response;
      const isOwners = !hasUserHandle(credential) || handle === userHandle(passkey.userId);
      const isEligible = authenticationInfo.credentialDeviceType === 'multiDevice';
      if (!verified || !isOwners || isEligible !== passkey.backupEligible) return null;
      return { signCount: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
    });
  }

  /** Whatever is wrong with an answer, the client learns only that it was not accepted. */
  private async orInvalid<Result>(verify: () => Promise<Result | null>): Promise<Result> {
    const result = await verify().catch(() => null);
    if (result === null) throw new InvalidPasskey();
    return result;
  }

  /** Loads the library while the user looks for the passkey: it takes some tenths of a second the first time. */
  private prepare(): void {
    library().catch(() => {});
    helpers().catch(() => {});
  }
}

// Imported at the first ceremony: a service whose users have no passkeys never pays for it.
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** The user's id as an authenticator keeps it, which tells nothing of the person. */
function userHandle(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
}

function descriptor({ credentialId, transports }: Passkey) {
  return { type: 'public-key', id: credentialId.toString('base64url'), transports };
}

/**
 * The challenge that an answer says it is for. Throws InvalidPasskey also for one from a frame within another page, and
 * for one that is too long, before anything decodes it.
 */
function challengeIn(credential: object): string {
  if (JSON.stringify(credential).length > MAX_CREDENTIAL_LENGTH) throw new InvalidPasskey();
  const { challenge, crossOrigin } = clientDataIn(credential);
  if (typeof challenge !== 'string' || (crossOrigin !== undefined && crossOrigin !== false))
    throw new InvalidPasskey();
  return challenge;
}

function clientDataIn(credential: object): Record<string, unknown> {
  try {
    const { response } = credential as RegistrationResponseJSON;
    return Object(JSON.parse(bytesIn(response.clientDataJSON).toString()));
  } catch {
    throw new InvalidPasskey();
  }
}

function credentialIdIn(credential: object): Buffer {
  return sizedId((credential as AuthenticationResponseJSON).id);
}

/** An authenticator may leave it out where the options named its passkey. */
function hasUserHandle(credential: object): boolean {
  const { userHandle: handle } = (credential as AuthenticationResponseJSON).response;
  return handle !== undefined && handle !== null;
}

function sizedId(id: string): Buffer {
  const bytes = bytesIn(id);
  if (bytes.length < MIN_CREDENTIAL_BYTES || bytes.length > MAX_CREDENTIAL_BYTES) throw new InvalidPasskey();
  return bytes;
}

type Decode = Awaited<ReturnType<typeof helpers>>['decodeAttestationObject'];

function statementOf({ response }: RegistrationResponseJSON, decode: Decode) {
  const bytes = bytesIn(response.attestationObject);
  if (bytes.length > MAX_ATTESTATION_BYTES) throw new InvalidPasskey();
  const attestation = decode(new Uint8Array(bytes));
  return { fmt: attestation.get('fmt'), attStmt: attestation.get('attStmt') };
}

/**
 * The bytes of a member: text in base64url without padding, as browsers write it. The library reads other characters as
 * zeros, and Node skips them: a certificate that we do not see could hide in the difference. Of an object with a length,
 * Node would copy so many bytes, and block for seconds.
 */
function bytesIn(member: unknown): Buffer {
  if (typeof member !== 'string') throw new InvalidPasskey();
  const bytes = Buffer.from(member, 'base64url');
  if (bytes.toString('base64url') !== member) throw new InvalidPasskey();
  return bytes;
}
