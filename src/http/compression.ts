import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';
import { RouteSettings } from './route-config.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    isCompressed?: boolean;
  }
}

/** A shorter answer fits into one packet either way. */
const THRESHOLD_BYTES = 1_024;

/** Longer answers are compressed on the thread pool. */
const AT_ONCE_BYTES = 64 * 1_024;

/**
 * Lets the answers of a route be compressed. The length of a compressed answer tells a listener how much of what a stranger
 * wrote into it is repeated elsewhere in it (BREACH), so no such route may answer a token, a code or a key.
 */
export const Compressed = (): MethodDecorator => RouteSettings({ isCompressed: true });

/** Compresses what a route is marked for, and costs the others nothing: the plugin adds a hook to no other route. */
export async function compressAnswers(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (!route.config?.isCompressed) route.compress = false;
    else if (route.method === 'HEAD') route.onSend = [route.onSend ?? [], leaveOutLength].flat();
  });
  await fastify.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: THRESHOLD_BYTES,
    syncThreshold: AT_ONCE_BYTES,
    globalDecompression: false,
  });
}

/** What HEAD would say is the length before compression, which is not that of the answer to GET (RFC 9110 §8.6). */
const leaveOutLength: onSendHookHandler = (_request, reply, payload, done) => {
  reply.removeHeader('content-length');
  done(null, payload);
};
