import type { Operations } from './latchkey.js';
import { isProblem } from './problem.js';
import type { CallOptions } from './types.js';

/** The service takes an answer to its options for ten minutes. */
const RENEWAL_MS = 9 * 60_000;

/** What the service and the browser write for each other. */
type Json = Record<string, unknown>;

// A browser has one request for a passkey at a time: the one in the field ends while a button has one.
let inField = new AbortController();
let ofButton: Promise<unknown> = Promise.resolve();

/** Whether this browser reads passkeys as the service writes them (WebAuthn Level 3). */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/**
 * Logs in with a passkey that the user chooses: in a dialog of the browser, or with `conditional` in a field with
 * `autocomplete="username webauthn"`, for as long as the page offers it. Throws a problem, or the `DOMException` of the
 * browser, such as `NotAllowedError` when the user cancels.
 */
export function loginWithPasskey(
  latchkey: Pick<Operations, 'beginPasskeyLogin' | 'passkeyLogin'>,
  { conditional = false, signal }: CallOptions & { conditional?: boolean } = {},
): ReturnType<Operations['passkeyLogin']> {
  const logIn = async (how: CredentialRequestOptions) => {
    const { options } = await latchkey.beginPasskeyLogin({}, { signal });
    const credential = await sign(options, how);
    return posted(latchkey.passkeyLogin({ credential }), options, credential);
  };
  return conditional ? offer(logIn, signal) : withButton(() => logIn(requestOf(signal)));
}

/** Makes a passkey for the user who is logged in; without a name, it is called after the browser. */
export function addPasskey(
  latchkey: Pick<Operations, 'beginPasskey' | 'registerPasskey'>,
  { name, signal }: CallOptions & { name?: string } = {},
): ReturnType<Operations['registerPasskey']> {
  return withButton(async () => {
    const { options } = await latchkey.beginPasskey({}, { signal });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
    const credential = await navigator.credentials.create({ ...requestOf(signal), publicKey });
    return latchkey.registerPasskey({ credential: jsonOf(credential), name });
  });
}

/** Proves with a passkey who the user is, as `stepUp` does with a password. */
export function stepUpWithPasskey(
  latchkey: Pick<Operations, 'beginStepUp' | 'stepUp'>,
  { signal }: CallOptions = {},
): ReturnType<Operations['stepUp']> {
  return withButton(async () => {
    const { options } = await latchkey.beginStepUp({}, { signal });
    const credential = await sign(options, requestOf(signal));
    return posted(latchkey.stepUp({ credential }), options, credential);
  });
}

function withButton<T>(use: () => Promise<T>): Promise<T> {
  inField.abort();
  const used = use();
  ofButton = used.catch(() => {});
  return used;
}

/** Asks for fresh options before the old ones end, and when a button that had the browser's request is done. */
async function offer<T>(
  logIn: (how: CredentialRequestOptions) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    await ofButton;
    signal?.throwIfAborted();
    const own = new AbortController();
    inField = own;
    const renewal = setTimeout(() => own.abort(), RENEWAL_MS);
    try {
      const ends = signal ? AbortSignal.any([signal, own.signal]) : own.signal;
      return await logIn({ mediation: 'conditional', signal: ends });
    } catch (error) {
      const isRenewed = own.signal.aborted && (error as Error).name === 'AbortError';
      if (!isRenewed || signal?.aborted) throw error;
    } finally {
      clearTimeout(renewal);
    }
  }
}

async function sign(options: Json, how: CredentialRequestOptions): Promise<Json> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  return jsonOf(await navigator.credentials.get({ ...how, publicKey }));
}

/** The browser offers a passkey no more that was removed here, where it can be told so. */
async function posted<T>(answer: Promise<T>, { rpId }: Json, { id }: Json): Promise<T> {
  try {
    return await answer;
  } catch (problem) {
    const unknown = { rpId: String(rpId), credentialId: String(id) };
    if (isProblem(problem, 'UnknownPasskey'))
      await PublicKeyCredential.signalUnknownCredential?.(unknown).catch(() => {});
    throw problem;
  }
}

const requestOf = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

const jsonOf = (credential: Credential | null) =>
  (credential as PublicKeyCredential).toJSON() as unknown as Json;
