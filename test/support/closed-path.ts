import type { TestApp } from './test-app.js';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

interface Request {
  method: (typeof METHODS)[number];
  headers?: Record<string, string>;
  payload?: string;
}

/** All of an answer but what no two answers share: a closed path has the same as an unknown one. */
export async function wholeAnswer(app: TestApp, url: string, request: Request) {
  const response = await app.nest.inject({ url, ...request });
  const { 'x-request-id': id, date, ...headers } = response.headers;
  return {
    status: response.statusCode,
    headers: Object.entries(headers).sort(),
    // No HEAD has a body on its way through a socket, whatever an injected one has.
    body: request.method === 'HEAD' ? '' : response.payload.replace(String(id), '(request id)'),
  };
}
