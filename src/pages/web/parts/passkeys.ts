import { addPasskey } from '../../../client/passkeys.js';
import { Refused } from './form.js';
import { type PlainWord, say, Word } from './say.js';
import { latchkey } from './service.js';

/** Why the browser used or made no passkey, by the name of its error. */
const REFUSALS: Record<string, PlainWord> = {
  AbortError: Word['parts.passkey.canceled'],
  NotAllowedError: Word['parts.passkey.canceled'],
  InvalidStateError: Word['parts.passkey.exists'],
  SecurityError: Word['parts.passkey.address'],
};

/** Says in words why the browser used or made no passkey. */
export async function inWords<T>(ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Refused(say(REFUSALS[error.name] ?? Word['parts.passkey.cannot']));
  }
}

/** The list that the browser may be told of: none while a passkey is made, until a later list has it. */
let latest: object | null = null;

/** Makes a passkey for the user who is logged in, and says in words why the browser made none. */
export function makePasskey(sent: { name?: string }): ReturnType<typeof addPasskey> {
  latest = null;
  return inWords(addPasskey(latchkey, sent));
}

/** Tells the browser which passkeys of a user are left, where it can be told so: it offers no others. */
export async function signalPasskeys(
  user: { id: string },
  passkeys: { credential_id: string }[],
): Promise<void> {
  if (!('PublicKeyCredential' in globalThis) || !PublicKeyCredential.signalAllAcceptedCredentials) return;
  latest = passkeys;
  // They may belong to a domain above that of the page, which only the service knows.
  const { options } = await latchkey.beginPasskeyLogin();
  // By an older list, the browser would delete the passkey that was made meanwhile.
  if (passkeys !== latest) return;
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
