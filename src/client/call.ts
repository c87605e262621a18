import { isProblem, LatchkeyProblem, type ProblemBody, unreachable } from './problem.js';
import type { CallOptions, OperationsOf } from './types.js';

/** How long to wait before a request is sent again that met a session with a fresh cookie. */
const RENEWAL_WAITS_MS = [100, 400, 1600];

/** With an id that is empty or dots, a path would be another one. */
const NO_ID = /^\.{0,2}$/;

/** The fields of an operation, by name. */
type Given = Readonly<Record<string, unknown>>;

/** Calls an operation by its route, such as `GET /users/{id}`. Throws a problem, or the reason of the signal. */
export type Call = (route: string, input?: Given, options?: CallOptions) => Promise<unknown>;

/** How to reach the service. */
export interface Connection {
  url: string;
  /** The organization that the requests are for; null for those of a person, in none. Not given, they name nothing. */
  org?: string | null | undefined;
  fetch?: typeof fetch | undefined;
  locale?: (() => string | undefined) | undefined;
  timeoutMs: number;
}

/**
 * Sends requests to a service. `SessionRenewed` says that another request has given the session a fresh cookie: nothing
 * was done, so the request is sent again, whatever its method.
 */
export function callOver(connection: Connection): Call {
  return async (route, input = {}, { signal } = {}) => {
    const [path, init] = requestOf(route, input, connection.org);
    for (const waitMs of RENEWAL_WAITS_MS) {
      try {
        return await send(connection, path, init, signal);
      } catch (error) {
        if (!isProblem(error, 'SessionRenewed')) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    return send(connection, path, init, signal);
  };
}

/** The operations of some routes, by name. */
export function operationsOver<Routes extends Readonly<Record<string, string>>>(
  call: Call,
  routes: Routes,
): OperationsOf<Routes> {
  const named = Object.entries(routes).map(([name, route]) => [name, call.bind(null, route)]);
  return Object.fromEntries(named);
}

/**
 * The path takes what it names. The rest becomes the query of a GET, and the body of any other method. The organization goes
 * into the path where that names one, and else into a header, which personal routes do not read.
 */
function requestOf(
  route: string,
  input: Given,
  org: string | null | undefined,
): [path: string, init: RequestInit] {
  const [method, path] = route.split(' ') as [string, string];
  const rest = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const isOfOrg = path.includes('{org_id}');
  if (isOfOrg && org !== undefined) {
    // Two tabs' worth of state have met: acting in either of the organizations would be a guess.
    if ((rest.org_id ?? org) !== org) throw new TypeError('org_id is that of another organization');
    rest.org_id = org;
  }
  const headers: Record<string, string> = {
    ...(org !== undefined && !isOfOrg && { 'latchkey-org': org ?? 'none' }),
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name] ?? '');
    if (NO_ID.test(value)) throw new TypeError(`${name} is missing`);
    delete rest[name];
    return encodeURIComponent(value);
  });

  const init: RequestInit = { method, headers };
  if (!Object.keys(rest).length) return [filled, init];
  if (method === 'GET') return [`${filled}?${new URLSearchParams(rest as Record<string, string>)}`, init];
  headers['content-type'] = 'application/json';
  return [filled, { ...init, body: JSON.stringify(rest) }];
}

/** An answer that is not of the service, such as the page of a proxy, counts as none. */
async function send(
  { url, fetch = globalThis.fetch, locale, timeoutMs }: Connection,
  path: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const language = locale?.();
  let status = 0;
  try {
    const response = await fetch(url + path, {
      ...init,
      headers: { ...init.headers, ...(language && { 'accept-language': language }) },
      credentials: 'include',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    status = response.status;
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer;
    throw problemOf(response, answer);
  } catch (error) {
    signal?.throwIfAborted();
    throw isProblem(error) ? error : unreachable(status, error);
  }
}

/** Throws the answer where it is no problem. */
function problemOf({ headers }: Response, answer: ProblemBody): LatchkeyProblem {
  if (!headers.get('content-type')?.includes('problem+json')) throw answer;
  const seconds = headers.get('retry-after');
  return new LatchkeyProblem({ ...answer, retry_after_seconds: seconds && Number(seconds) });
}
