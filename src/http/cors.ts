import type { FastifyCorsOptions } from '@fastify/cors';
import type { Environment } from '../config/environment.js';
import { allowedOrigins } from '../config/origins.js';

const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/** Answers an allowed origin with itself, and any other as if there were no CORS; both with Vary, for caches. */
export function corsOptions(environment: Environment): FastifyCorsOptions {
  const allowed = allowedOrigins(environment);

  return {
    origin: (origin, resolve) => resolve(null, origin !== undefined && allowed.has(origin) && origin),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Content-Type', 'Latchkey-Org'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    strictPreflight: false,
  };
}
