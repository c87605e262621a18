import { createLatchkey, type Latchkey, type LatchkeyOptions, type Snapshot } from './latchkey.js';
import { isProblem } from './problem.js';

/** Shorter than a visitor waits for a page; the browser asks by itself where no answer came. */
const TIMEOUT_MS = 5_000;

/** The headers of a request: those of the web's standard, of `headers()` in Next, or of Node. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A request of a visitor, or its headers. */
export type VisitorRequest = { readonly headers: RequestHeaders } | RequestHeaders;

/** What a server knows of a session. It is plain data, so it may be sent to the browser. */
export type InitialSession = Exclude<Snapshot, { status: 'unreachable' }>;

/**
 * Who makes a request: the `initial` session for `createLatchkey`. It is `loading` where the service does not answer, or
 * refuses the request: the browser then asks by itself. A visitor can bring that about, so only `in` lets anybody in.
 */
export async function sessionFrom(
  request: VisitorRequest,
  url: string,
  options: LatchkeyOptions = {},
): Promise<InitialSession> {
  if (cookieOf(request) === '') return { status: 'out' };
  try {
    const me = await clientFor(request, url, { timeoutMs: TIMEOUT_MS, ...options }).me();
    return { status: 'in', user: me.user, session: me.session, organizations: me.organizations };
  } catch (error) {
    if (isProblem(error, 'Unauthenticated')) return { status: 'out' };
    if (isProblem(error)) return { status: 'loading' };
    throw error;
  }
}

/**
 * A client that sends the cookies of one visitor. Make one for each request, and let it read only: what sets a cookie
 * belongs in the browser.
 */
export function clientFor(request: VisitorRequest, url: string, options: LatchkeyOptions = {}): Latchkey {
  const cookie = cookieOf(request);
  const send = options.fetch ?? fetch;
  return createLatchkey(url, {
    ...options,
    fetch: (address, init) =>
      send(address, {
        ...init,
        // No framework may keep an answer: the next visitor would get it.
        cache: 'no-store',
        // The cookies are for the service alone, which redirects no call; an answer from elsewhere says nothing.
        redirect: 'error',
        headers: { ...init?.headers, cookie },
      } as RequestInit),
  });
}

function cookieOf(request: VisitorRequest): string {
  const headers = ('headers' in request ? request.headers : request) as RequestHeaders;
  const cookie =
    typeof headers.get === 'function' ? headers.get('cookie') : (headers as { cookie?: string }).cookie;
  return cookie ?? '';
}
