import { OpenAI } from 'openai';
import type { Environment } from '../config/environment.js';
import { fetchBounded } from '../outbound/bounded-request.js';

/** Bytes of an answer at most. A token takes some 300. */
const SIZE_LIMIT = 1024 * 1024;

/** The client of the AI provider. It tries once: its caller has a user waiting. */
export function openAiClient({ aiApiKey, aiBaseUrl }: Environment): OpenAI {
  return new OpenAI({
    apiKey: aiApiKey,
    baseURL: aiBaseUrl,
    maxRetries: 0,
    logLevel: 'off',
    fetch: (url, request = {}) => fetchBounded(url, request, SIZE_LIMIT),
    // Otherwise the client would take them from environment variables that are not ours.
    organization: null,
    project: null,
  });
}
