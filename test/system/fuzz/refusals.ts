import { isAtLeast, Role } from '../../../src/http/role.js';
import type { Operation } from '../../support/document.js';
import { SENDERS, THEIRS } from './people.js';
import type { FuzzRequest } from './requests.js';

/** A reason to refuse a request, whatever else is wrong with it: where and for whom it holds, and how to cause it. */
interface Reason {
  holds: (operation: Operation, sender: string) => boolean;
  spoil: (request: FuzzRequest) => FuzzRequest;
}

export const REASONS: Reason[] = [
  { holds: isJudgedByOrigin, spoil: withHeader('origin', 'https://evil.example') },
  { holds: needs('session'), spoil: withHeader('cookie', 'session_id=of_nobody') },
  { holds: needs('pendingLogin'), spoil: withHeader('cookie', 'session_id_pending=of_nobody') },
  { holds: needs('SVC_CRON_SECRET'), spoil: withHeader('authorization', 'Bearer of_nobody') },
  { holds: needs('SVC_METRICS_TOKEN'), spoil: withHeader('authorization', 'Bearer of_nobody') },
  { holds: isAboveRole, spoil: (request) => request },
  {
    holds: ({ path }, sender) => path.includes('{org_id}') && sender !== 'system-admin',
    spoil: (request) => ({ ...request, parameters: { ...request.parameters, org_id: THEIRS } }),
  },
  {
    holds: ({ path }) => path.includes('{'),
    spoil: (request) => ({ ...request, route: request.route.replace(/\{\w+\}/g, 'no-id') }),
  },
  {
    holds: ({ requestBody }) =>
      requestBody?.content['application/json'].schema.additionalProperties === false,
    spoil: (request) => ({ ...request, payload: '{"email_verified":true}' }),
  },
  { holds: isUnsafe, spoil: (request) => ({ ...request, payload: '{"email":' }) },
  {
    holds: isUnsafe,
    spoil: (request) => withHeader('content-type', 'text/plain')({ ...request, payload: 'email=ada' }),
  },
];

function isUnsafe({ method }: Operation): boolean {
  return method !== 'GET';
}

/** A request that stands for another is judged whatever its method. */
function isJudgedByOrigin(operation: Operation): boolean {
  return isUnsafe(operation) || operation.path === '/sessions/verify';
}

function needs(scheme: string): Reason['holds'] {
  return ({ security }) => security.length === 1 && scheme in (security[0] ?? {});
}

/** The document has the role only in a sentence. */
function isAboveRole({ description = '' }: { description?: string }, sender: string): boolean {
  const [, least] = /^For the role `(\w+)`/.exec(description) ?? [];
  const own = SENDERS[sender]?.role;
  return least !== undefined && own !== undefined && !isAtLeast(own, least as Role);
}

function withHeader(name: string, value: string): Reason['spoil'] {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: value } });
}
