import { isIP } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ActiveSession } from '../sessions/sessions.repository.js';
import { Unauthenticated } from './errors.js';

const MAX_USER_AGENT_LENGTH = 512;

/** The user whose session the request carries. */
export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext) => callerOf(requestOf(context)).user,
);

/** The session the request carries. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext) => callerOf(requestOf(context)).session,
);

/** Who acts, and from where, as the audit event of the act tells it. */
export const By = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const request = requestOf(context);
  return { userId: request.caller?.user.id ?? null, ...clientOf(request) };
});

/** Where a request comes from. A proxy may name no address at all, or one with a port, which no table can hold. */
export function clientOf({ ip, headers }: FastifyRequest): Client {
  return {
    ip: isIP(ip) && !ip.includes('%') ? ip : null,
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  };
}

/** The session that a request carries. Throws Unauthenticated when there is none. */
export function callerOf({ caller }: FastifyRequest): ActiveSession {
  if (!caller) throw new Unauthenticated();
  return caller;
}

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}
