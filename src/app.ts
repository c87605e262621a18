import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Environment } from './config/environment.js';
import { AppModeGuard } from './http/app-mode.guard.js';
import { answerBrokenRequest } from './http/broken-request.js';
import { corsOptions } from './http/cors.js';
import { limitHandlerTime } from './http/handler-time.js';
import { httpServer } from './http/http-server.js';
import { BODY_LIMIT, parseJsonBody, refuseOtherBody } from './http/json-body.js';
import { ProblemFilter } from './http/problem.filter.js';
import { checkHead } from './http/request-head.js';
import { responseHeaders } from './http/response-headers.js';
import { validationPipe } from './http/validation.pipe.js';
import { Background } from './jobs/background.js';
import { Health } from './observability/health.js';
import { HttpMetrics } from './observability/http-metrics.js';
import { NestLog } from './observability/nest-log.js';
import { tellEnd } from './observability/request-end.js';
import { logRequest } from './observability/request-log.js';

/**
 * The service, ready to listen or to be injected into; a product passes a root module of its own that imports
 * AppModule.
 */
export async function createApp(
  environment: Environment,
  log: Logger,
  root: DynamicModule = AppModule.with(environment),
): Promise<NestFastifyApplication> {
  const welcome = welcomeWith(environment, log, () => app.get(HttpMetrics));
  const adapter = new FastifyAdapter({
    serverFactory: httpServer(environment),
    trustProxy: environment.trustedProxies.length > 0 ? environment.trustedProxies : false,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest(environment),
    // Runs before any hook does: the router could not even read the path.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      welcome(request, reply);
      app.get(ProblemFilter).answer(error, request, reply);
    },
  });
  // Ahead of Nest's own hooks, which answer some requests themselves.
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    welcome(request, reply);
    checkHead(request);
    done();
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.useGlobalPipes(validationPipe());
  await equip(app, environment);
  return app;
}

/**
 * What happens to every request before anything else: its answer gets its headers, and its end is logged and counted.
 */
function welcomeWith(environment: Environment, log: Logger, metrics: () => HttpMetrics) {
  const headers = responseHeaders(environment);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers({ 'x-request-id': request.id, ...headers });
    const stopClock = limitHandlerTime(environment, reply);
    tellEnd(request, reply, (end) => {
      stopClock();
      logRequest(log, end);
      metrics().count(end);
    });
  };
}

/** Teaches Fastify what Nest does not: bodies, cookies, CORS, and which paths are closed. */
async function equip(app: NestFastifyApplication, environment: Environment): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, refuseOtherBody);
  // Cookies are read where they are needed, not at every request.
  await fastify.register(cookie, { hook: false });
  // Hooks run in the order they are added: even a closed path answers a preflight.
  await fastify.register(cors, corsOptions(environment));
  hideClosedPaths(fastify, app.get(AppModeGuard));
  closeConnectionsWhenLeaving(fastify, app.get(Health));
  fastify.addHook('onReady', async () => app.get(Background).start());
}

/** Answers for what is not served here as for any unknown path. */
function hideClosedPaths(fastify: FastifyInstance, appMode: AppModeGuard): void {
  // An OPTIONS that CORS leaves unanswered is not a preflight, and its catch-all route would answer nothing else.
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === '*') reply.callNotFound();
    else done();
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    appMode.refuseClosed(request);
    done();
  });
}

/** A connection kept alive after its last answer would hold up the shutdown until the client lets go of it. */
function closeConnectionsWhenLeaving(fastify: FastifyInstance, health: Health): void {
  fastify.addHook('preClose', async () => {
    health.isLeaving = true;
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (health.isLeaving) reply.header('connection', 'close');
    done();
  });
}
