import { refusedExchange } from './provider-error.js';

/** No provider needs longer, and nobody waits longer for a login. */
const TIME_LIMIT_MS = 5_000;

/** Bytes of an answer; a token or a profile has a few thousand. */
const SIZE_LIMIT = 256 * 1024;

interface ProviderAnswer {
  isOk: boolean;
  status: number;
  text: string;
}

/** The text of a provider's user info. Rejects when it is not a 2xx, redirects, is too large or takes too long. */
export async function requestUserInfo(url: string, accessToken: string): Promise<string> {
  const { isOk, status, text } = await ask(url, { headers: { authorization: `Bearer ${accessToken}` } });
  if (!isOk) throw new Error(`the identity provider answered the request for the user info with ${status}`);
  return text;
}

/**
 * The text of a provider's answer with an access token. Rejects as the request for the user info does, and when there
 * is no token in it: some providers refuse with a 200.
 */
export async function exchangeCode(url: string, request: RequestInit): Promise<string> {
  const { isOk, status, text } = await ask(url, request);
  const { access_token, error } = fieldsOf(text);
  if (!isOk || !access_token) throw refusedExchange(status, error);
  return text;
}

async function ask(url: string, request: RequestInit): Promise<ProviderAnswer> {
  const response = await fetch(url, {
    ...request,
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > SIZE_LIMIT) throw new Error('the identity provider answered at too great a length');
    chunks.push(chunk);
  }
  return { isOk: response.ok, status: response.status, text: Buffer.concat(chunks).toString() };
}

/** The fields of a token answer: JSON (RFC 6749 §5.1), or a form, as some older providers send it. */
function fieldsOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}
