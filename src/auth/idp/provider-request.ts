/** No provider needs longer, and nobody waits longer for a login. */
const TIME_LIMIT_MS = 5_000;

/** Bytes of an answer; a token or a profile has a few thousand. */
const SIZE_LIMIT = 256 * 1024;

/** The text of a provider's answer. Rejects when it is not a 2xx, redirects, is too large or takes too long. */
export async function requestText(url: string, request: RequestInit): Promise<string> {
  const response = await fetch(url, {
    ...request,
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`the identity provider answered ${response.status}`);

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > SIZE_LIMIT) throw new Error('the identity provider answered at too great a length');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
