import { api, type Problem } from './api.js';

/** What the browser and the service write for each other: the typed client knows only that it is an object. */
export type Json = Record<string, unknown>;

/** Whether the browser reads options as the service writes them (WebAuthn Level 3). */
export const knowsPasskeys =
  'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

const CANCELED: Problem = {
  code: 'Canceled',
  detail: 'You canceled, or it took too long. You can try again.',
};

/** Why the browser used or made no passkey, by the name of its error. */
const REFUSALS: Record<string, Problem> = {
  AbortError: CANCELED,
  NotAllowedError: CANCELED,
  InvalidStateError: {
    code: 'PasskeyOnDevice',
    detail: 'This device already has a passkey for this account.',
  },
  SecurityError: { code: 'NoPasskeysHere', detail: 'Passkeys do not work at this address.' },
};

const NOT_POSSIBLE: Problem = {
  code: 'NoPasskeysHere',
  detail: 'This device cannot do that with a passkey.',
};

/** Lets the user choose a passkey, and returns what it has signed. Throws a problem. */
export function signWithPasskey(options: Json, how: CredentialRequestOptions = {}): Promise<Json> {
  const read = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(read);
  return answerOf(navigator.credentials.get({ ...how, publicKey }));
}

/** Lets the user make a passkey. Throws a problem. */
export function makePasskey(options: Json): Promise<Json> {
  const read = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(read);
  return answerOf(navigator.credentials.create({ publicKey }));
}

async function answerOf(ceremony: Promise<Credential | null>): Promise<Json> {
  try {
    return ((await ceremony) as PublicKeyCredential).toJSON() as unknown as Json;
  } catch (error) {
    throw error instanceof DOMException ? (REFUSALS[error.name] ?? NOT_POSSIBLE) : error;
  }
}

/** Posts what a passkey has signed. The browser offers one that was removed no more, where it can be told so. */
export async function postSigned(
  path: '/auth/passkey/login' | '/auth/step-up',
  { rpId }: Json,
  credential: Json,
): Promise<void> {
  try {
    await api('post', path, { body: { credential } }, null);
  } catch (problem) {
    const removed = { rpId: String(rpId), credentialId: String(credential.id) };
    if ((problem as Problem).code === 'UnknownPasskey')
      PublicKeyCredential.signalUnknownCredential?.(removed).catch(() => {});
    throw problem;
  }
}

/** Tells the browser which passkeys of a user are left, where it can be told so: it offers no others. */
export async function signalPasskeys(
  user: { id: string },
  passkeys: { credential_id: string }[],
): Promise<void> {
  if (!('PublicKeyCredential' in globalThis) || !PublicKeyCredential.signalAllAcceptedCredentials) return;
  // They may belong to a domain above that of the page, which only the service knows.
  const { options } = await api('post', '/auth/passkey/options');
  await PublicKeyCredential.signalAllAcceptedCredentials({
    rpId: String(options.rpId),
    userId: handleOf(user),
    allAcceptedCredentialIds: passkeys.map(({ credential_id }) => credential_id),
  });
}

/** The id of a user as an authenticator keeps it: its 16 bytes, base64url. */
function handleOf({ id }: { id: string }): string {
  const bytes = id.replaceAll('-', '').match(/../g) ?? [];
  const base64 = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
