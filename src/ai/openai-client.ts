import { OpenAI } from 'openai';
import type { Environment } from '../config/environment.js';

/** Bytes of an answer at most. A token takes some 300. */
const SIZE_LIMIT = 1024 * 1024;

/** The client of the AI provider. It tries once: its caller has a user waiting. */
export function openAiClient({ aiApiKey, aiBaseUrl }: Environment): OpenAI {
  return new OpenAI({
    apiKey: aiApiKey,
    baseURL: aiBaseUrl,
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchBounded,
    // Otherwise the client would take them from environment variables that are not ours.
    organization: null,
    project: null,
  });
}

/** Fetches what is not too large. Follows no redirect, which would take the request elsewhere. */
async function fetchBounded(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  // Given to the pipe too: fetch forgets the signal once the garbage collector has taken its own response.
  const options = init?.signal ? { signal: init.signal } : {};
  return new Response(response.body?.pipeThrough(bounded(), options), response);
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > SIZE_LIMIT) throw new Error('the answer is too large');
      controller.enqueue(chunk);
    },
  });
}
