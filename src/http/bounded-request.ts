/** Bytes of an answer. A token or a profile has a few thousand. */
const SIZE_LIMIT = 256 * 1024;

interface BoundedAnswer {
  isOk: boolean;
  status: number;
  text: string;
}

/**
 * Asks another service once, and reads its answer to the end. Follows no redirect, which would take the request
 * elsewhere. Rejects when the answer redirects, is too large or is not whole in time.
 */
export async function requestBounded(
  url: string,
  timeLimitMs: number,
  request: RequestInit,
): Promise<BoundedAnswer> {
  const response = await fetch(url, {
    ...request,
    redirect: 'error',
    signal: AbortSignal.timeout(timeLimitMs),
  });

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > SIZE_LIMIT) throw new Error(`the answer has more than ${SIZE_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return { isOk: response.ok, status: response.status, text: Buffer.concat(chunks).toString() };
}
