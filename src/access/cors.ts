import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { allowedOrigins } from '../config/origins.js';

const PREFLIGHT_MAX_AGE_SECONDS = 600;

type Resolve = (error: Error | null, options: FastifyCorsOptions) => void;

/** Answers an allowed origin with itself, and any other as if there were no CORS; caches are told in either case (Vary). */
export function corsOptions(environment: Environment) {
  const allowed = allowedOrigins(environment);

  return (request: FastifyRequest, resolve: Resolve): void => {
    const { origin } = request.headers;
    resolve(null, {
      origin: origin !== undefined && allowed.has(origin) && origin,
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: ['Content-Type'],
      exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
      maxAge: PREFLIGHT_MAX_AGE_SECONDS,
      strictPreflight: false,
    });
  };
}
