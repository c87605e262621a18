/** Bytes of an answer that is read whole. A token or a profile has a few thousand. */
const SIZE_LIMIT = 256 * 1024;

/** An answer that has come to its end. */
export interface BoundedAnswer {
  isOk: boolean;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Asks another service once, and reads its answer to the end. Rejects when the answer redirects, unless the request says
 * otherwise, when it is too large, and when it is not whole in time.
 */
export async function requestBounded(
  url: string,
  timeLimitMs: number,
  request: RequestInit,
): Promise<BoundedAnswer> {
  const signal = AbortSignal.timeout(timeLimitMs);
  const response = await fetchBounded(url, { ...request, signal }, SIZE_LIMIT);
  const { ok: isOk, status, headers } = response;
  return { isOk, status, headers, text: await response.text() };
}

/**
 * Asks another service once, for status and headers alone: nothing of the body is read. A redirect is an answer as any
 * other. Rejects when they are not there in time.
 */
export async function requestHead(
  url: string,
  timeLimitMs: number,
  request: RequestInit,
): Promise<Pick<BoundedAnswer, 'status' | 'headers'>> {
  const signal = AbortSignal.timeout(timeLimitMs);
  const { status, headers, body } = await fetch(url, { redirect: 'manual', ...request, signal });
  await body?.cancel();
  return { status, headers };
}

/**
 * Fetches an answer of at most so many bytes; its signal ends it until the last of them is read. Follows no redirect,
 * which would take the request elsewhere.
 */
export async function fetchBounded(
  url: string | URL | Request,
  request: RequestInit,
  sizeLimit: number,
): Promise<Response> {
  const response = await fetch(url, { redirect: 'error', ...request });
  // Given to the pipe too: fetch of Node 20 and 22 forgets the signal once the garbage collector has taken its response.
  const options = request.signal ? { signal: request.signal } : {};
  return new Response(response.body?.pipeThrough(atMost(sizeLimit), options), response);
}

function atMost(sizeLimit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > sizeLimit) throw new Error(`the answer has more than ${sizeLimit} bytes`);
      controller.enqueue(chunk);
    },
  });
}
