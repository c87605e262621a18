import type { FastifyRequest, RouteOptions } from 'fastify';
import { parse } from 'secure-json-parse';
import type { ReasonCode } from '../validation/reasons.js';
import { MalformedBody, UnsupportedMediaType, ValidationFailed } from './errors.js';
import { fieldError } from './problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler is given the body as the bytes that came. */
    takesBytes?: boolean;
    /** Bytes that a body has at most, where that is not `BODY_LIMIT`. */
    bodyLimit?: number;
    /** Whether the body is left unread. */
    ignoresBody?: boolean;
  }
}

/** Bytes a body has at most, unless its route says otherwise; more is a 413 before it is read to its end. */
export const BODY_LIMIT = 64 * 1024;

/** No body of the contract nests deeper than a list in a field; class-transformer overflows at some 2,000. */
const MAX_DEPTH = 4;

/** Keys and entries a body or a query has at most, however they nest: class-transformer compares each with all. */
const MAX_VALUES = 200;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The JSON in a body; undefined when the body is empty, as a DELETE of a fetch wrapper is. */
export async function parseJsonBody(request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (request.headers['content-encoding'] !== undefined) throw new UnsupportedMediaType();
  if (request.routeOptions.config.takesBytes) return body;
  return body.length === 0 ? undefined : parseStrictly(body);
}

/** An empty body has no type: `curl -d ''` names that of a form, and schedulers name others. */
export async function refuseOtherBody(_request: FastifyRequest, body: Buffer): Promise<undefined> {
  if (body.length > 0) throw new UnsupportedMediaType();
}

/** Gives a route the limit that its decorator asks for: Nest has no option for it. */
export function limitBody(route: RouteOptions): void {
  if (route.config?.bodyLimit !== undefined) route.bodyLimit = route.config.bodyLimit;
}

/** Leaves the body of a request unread: Fastify reads one only where the head announces it. */
export function ignoreBody({ raw: { headers } }: FastifyRequest): void {
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
}

/** Refuses what no route takes, before anything that recurses sees it. A route without a body does not ask. */
export function refuseUnlikelyBody(value: unknown): void {
  if (!isContainer(value) || Array.isArray(value)) refuse('body', 'not_an_object');
  refuseInherited(value);
  refuseExcess(value, 'body');
}

/** Refuses parameters that no route takes. */
export function refuseUnlikelyQuery(query: object): void {
  refuseInherited(query);
  refuseExcess(query, 'query');
}

/** Refuses bytes that are not UTF-8, and keys such as `__proto__` that would reach an object's prototype. */
function parseStrictly(body: Buffer): unknown {
  try {
    return parse(utf8.decode(body), { protoAction: 'error', constructorAction: 'error' });
  } catch {
    throw new MalformedBody();
  }
}

/** Refuses fields that every object has, such as `toString`: class-transformer drops them before they are checked. */
function refuseInherited(fields: object): void {
  const inherited = Object.keys(fields).find((field) => field in Object.prototype);
  if (inherited !== undefined) refuse(inherited, 'unknown_field');
}

/** Refuses what is too deep or too many. */
function refuseExcess(fields: object, whole: 'body' | 'query'): void {
  let values = 0;

  for (const [field, content] of Object.entries(fields)) {
    let level: unknown[] = [content];
    for (let depth = 1; level.length > 0; depth++) {
      values += level.length;
      if (values > MAX_VALUES) refuse(whole, 'too_many_values');
      if (depth > MAX_DEPTH) refuse(field, 'too_deep');
      level = level.filter(isContainer).flatMap((container) => Object.values(container));
    }
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function refuse(field: string, code: ReasonCode): never {
  throw new ValidationFailed([fieldError(field, { code })]);
}
