import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { BadRequest, ExpectationFailed, UriTooLong } from './errors.js';

/** Characters of a path with its query; RFC 9110 §4.1 asks a server to take 8,000. */
const MAX_TARGET_LENGTH = 8_192;

/**
 * Refuses a request that a proxy in front may have read in another way than this service does: the proxy's rules would
 * have judged another request than the one that is served (RFC 9112 §11.2). Requests that Node itself cannot read never
 * come this far.
 */
export function checkHead({ raw, headers }: FastifyRequest): void {
  const target = raw.url ?? '';
  if (target.length > MAX_TARGET_LENGTH) throw new UriTooLong();
  if (!isPath(target) || !isForOneHost(raw) || !isFramed(raw)) throw new BadRequest();
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) throw new ExpectationFailed();
}

/**
 * A path with its query in UTF-8: not the address of a host, and without a fragment, which browsers keep to
 * themselves.
 */
function isPath(target: string): boolean {
  return target.startsWith('/') && !target.includes('#') && isUtf8(target);
}

function isUtf8(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

/** Exactly one host, which only HTTP/1.0 may leave out. */
function isForOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** A version that has headers; chunks only in the one that has chunks, and nothing wrapped around them. */
function isFramed({ httpVersion, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return httpVersion === '1.0' || httpVersion === '1.1';
  return httpVersion === '1.1' && /^chunked$/i.test(coding);
}
