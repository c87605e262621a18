import type { Operations } from './latchkey.js';
import { isProblem } from './problem.js';
import type { CallOptions } from './types.js';

/** The service takes an answer to its options for ten minutes. */
const RENEWAL_MS = 9 * 60_000;

type Json = Record<string, unknown>;

// A browser has one request for a passkey at a time. The one in a field ends while a button has one.
let inField = new AbortController();
let ofButton: Promise<unknown> = Promise.resolve();

/** Whether this browser reads passkeys as the service writes them (WebAuthn Level 3). */
export function hasPasskeys(): boolean {
  const { PublicKeyCredential } = globalThis as Partial<typeof globalThis>;
  return PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;
}

/**
 * Logs in with a passkey that the user chooses: in a dialog of the browser, or with `conditional` in a field that has
 * `autocomplete="username webauthn"`, until `signal` ends the offer. With `secondStep` it is the second step of the
 * login that waits in the browser, and links its identity: for a page that says so. Throws a problem, or the
 * `DOMException` of the browser: `NotAllowedError` where the user cancels.
 */
export function loginWithPasskey(
  { beginPasskeyLogin, passkeyLogin }: Pick<Operations, 'beginPasskeyLogin' | 'passkeyLogin'>,
  { conditional, secondStep, signal }: CallOptions & { conditional?: boolean; secondStep?: boolean } = {},
): ReturnType<Operations['passkeyLogin']> {
  const finish = (signed: { credential: Json }) => passkeyLogin({ ...signed, second_step: secondStep });
  const logIn = (how: object) => sign(beginPasskeyLogin, finish, how);
  return conditional ? offer(logIn, signal) : withButton(() => logIn({ signal }));
}

/** Makes a passkey for the user who is logged in; without a name, it is called after the browser. */
export function addPasskey(
  { beginPasskey, registerPasskey }: Pick<Operations, 'beginPasskey' | 'registerPasskey'>,
  { name, signal }: CallOptions & { name?: string } = {},
): ReturnType<Operations['registerPasskey']> {
  return withButton(async () => {
    const { options } = await beginPasskey();
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
    const made = await navigator.credentials.create({ signal, publicKey } as CredentialCreationOptions);
    return registerPasskey({ credential: jsonOf(made), name });
  });
}

/** Proves with a passkey who the user is, as `stepUp` does with a password. */
export function stepUpWithPasskey(
  { beginStepUp, stepUp }: Pick<Operations, 'beginStepUp' | 'stepUp'>,
  { signal }: CallOptions = {},
): ReturnType<Operations['stepUp']> {
  return withButton(() => sign(beginStepUp, stepUp, { signal }));
}

/** Gives a button the browser's one request. */
function withButton<T>(request: () => Promise<T>): Promise<T> {
  inField.abort();
  const requested = request();
  ofButton = requested.catch(() => {});
  return requested;
}

/** Asks for fresh options before the old ones end, and once a button that had the browser's request is done. */
async function offer<T>(logIn: (how: object) => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    await ofButton;
    signal?.throwIfAborted();
    const own = new AbortController();
    const ends = signal ? AbortSignal.any([signal, own.signal]) : own.signal;
    const renewal = setTimeout(() => own.abort(), RENEWAL_MS);
    inField = own;
    try {
      return await logIn({ mediation: 'conditional', signal: ends });
    } catch (error) {
      // What the service refuses is thrown, also where the nine minutes end meanwhile.
      if (signal?.aborted || !own.signal.aborted || isProblem(error)) throw error;
    } finally {
      clearTimeout(renewal);
    }
  }
}

/** The browser no longer offers a passkey that was removed at the service, where it can be told so. */
async function sign<T>(
  begin: () => Promise<{ options: Json }>,
  finish: (input: { credential: Json }) => Promise<T>,
  how: object,
): Promise<T> {
  const { options } = await begin();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  const credential = jsonOf(await navigator.credentials.get({ ...how, publicKey }));
  try {
    return await finish({ credential });
  } catch (problem) {
    const unknown = { rpId: publicKey.rpId as string, credentialId: credential.id as string };
    if (isProblem(problem, 'UnknownPasskey')) await PublicKeyCredential.signalUnknownCredential?.(unknown);
    throw problem;
  }
}

const jsonOf = (credential: Credential | null) =>
  (credential as PublicKeyCredential).toJSON() as unknown as Json;
