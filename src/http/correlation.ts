import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { TrustedProxies } from './trusted-proxies.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace that a proxy in front counts the request to. */
    traceId?: string;
  }
}

/** What a header, a problem and a line of the log can hold as it is. */
const REQUEST_ID = /^[\w.:/+=-]{8,128}$/;

/** Version 00 of the header, in which no id is all zeros (W3C Trace Context §3.2.2). */
const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/**
 * The id of a request: the one that a trusted proxy gave it, else a new one. Any other client could give many requests
 * one id, and hide its own among those of others.
 */
export function requestIdOf(request: IncomingMessage, proxies: TrustedProxies): string {
  const given = request.headers['x-request-id'];
  const isKept = typeof given === 'string' && REQUEST_ID.test(given) && proxies.haveSent(request);
  return isKept ? given : randomUUID();
}

/** The trace of a request, by the `traceparent` of a trusted proxy. */
export function traceIdOf(request: IncomingMessage, proxies: TrustedProxies): string | undefined {
  const { traceparent } = request.headers;
  if (typeof traceparent !== 'string' || !proxies.haveSent(request)) return undefined;
  return TRACEPARENT.exec(traceparent)?.[1];
}

/** What every line about a request has. */
export function idsOf({ id, traceId }: FastifyRequest) {
  return { request_id: id, trace_id: traceId };
}
