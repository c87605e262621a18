import { expect } from '@jest/globals';
import type { TestApp } from './test-app.js';

/** An answer as Fastify's `inject` gives it. */
interface InjectedAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  payload: string;
}

const SHAPE = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'errors', 'down', 'methods'];

/** Names of what must stay inside: frames of a stack, statements, paths of files. */
const INNARDS = /\bat \S+ \(|node_modules|\.[jt]s:\d|\bSELECT\b|\bINSERT\b|stack|\/src\//;

/** Expects a problem of the one shape that all errors have, and returns its body. */
export function expectProblem(answer: InjectedAnswer, status: number, code: string) {
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ]);

  const body = JSON.parse(answer.payload);
  expect(body).toMatchObject({
    type: `http://localhost:3000/problems/${code}`,
    title: expect.stringMatching(/^[A-Z][a-z ]+$/),
    status,
    code,
    detail: expect.stringMatching(/\.$/),
    request_id: answer.headers['x-request-id'],
  });
  expect(body.request_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
  expect(answer.headers['cache-control']).toBe('no-store');
  // A dependency that fails may answer again in a moment.
  if (status === 502 || status === 503) expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(SHAPE).toEqual(expect.arrayContaining(Object.keys(body)));
  expect(answer.payload).not.toMatch(INNARDS);
  return body;
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

interface Request {
  method: (typeof METHODS)[number];
  headers?: Record<string, string>;
  payload?: string;
}

/** An answer without the parts that differ in any two: a closed path has the same as an unknown one. */
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
