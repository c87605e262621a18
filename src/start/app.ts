import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Permissions } from '../access/permissions.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Environment } from '../config/environment.js';
import { AppModeGuard } from '../http/app-mode.guard.js';
import { answerBrokenRequest } from '../http/broken-request.js';
import { compressAnswers } from '../http/compression.js';
import { requestIdOf, traceIdOf } from '../http/correlation.js';
import { corsOptions } from '../http/cors.js';
import { endHalfSentWhenStopping } from '../http/half-sent.js';
import { limitHandlerTime } from '../http/handler-time.js';
import { httpServer } from '../http/http-server.js';
import { BODY_LIMIT, ignoreBody, limitBody, parseJsonBody, refuseOtherBody } from '../http/json-body.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { checkHead } from '../http/request-head.js';
import { responseHeaders } from '../http/response-headers.js';
import { TrustedProxies } from '../http/trusted-proxies.js';
import { validationPipe } from '../http/validation.pipe.js';
import { Health } from '../observability/health.js';
import { HttpMetrics } from '../observability/http-metrics.js';
import { NestLog } from '../observability/nest-log.js';
import { logRequest, onRequestEnd } from '../observability/request-end.js';
import { routesIn } from '../openapi/routes.js';
import { Background } from '../queues/background.js';
import { Pace } from '../queues/pace.js';
import { AppModule } from './app.module.js';
import type { Product } from './product.js';

/** The service with what a product adds, ready to listen or to be injected into. It expects a migrated database. */
export async function createApp(
  environment: Environment,
  log: Logger,
  product: Product = {},
): Promise<NestFastifyApplication> {
  const proxies = new TrustedProxies(environment);
  const beginRequest = firstHook(environment, proxies, log, () => app.get(HttpMetrics));
  const adapter = new FastifyAdapter({
    serverFactory: httpServer(environment),
    trustProxy: proxies.fastifyOption,
    genReqId: (request: IncomingMessage) => requestIdOf(request, proxies),
    bodyLimit: BODY_LIMIT,
    return503OnClosing: false,
    // The service has neither Express middleware nor uploads, whose hooks would run at every request.
    skipMiddie: true,
    multipart: false,
    clientErrorHandler: answerBrokenRequest(environment, log),
    // Runs before any hook does: the router could not even read the path.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      beginRequest(request, reply);
      app.get(ProblemFilter).answer(error, request, reply);
    },
  });
  // Ahead of Nest's own hooks, which answer some requests themselves.
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    beginRequest(request, reply);
    try {
      checkHead(request);
    } catch (error) {
      // The route of preflights is there before Nest's handler of errors, and has that of Fastify.
      app.get(ProblemFilter).answer(error, request, reply);
      return;
    }
    if (request.routeOptions.config.ignoresBody) ignoreBody(request);
    done();
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(environment, product),
    adapter,
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
    },
  );
  app.useGlobalPipes(validationPipe());
  await registerPlugins(app, environment);
  registerHooks(app);
  app.get(AuditLog).writeTo(log);
  app.get(Permissions).assertDeclared(routesIn(app.get(ModulesContainer)));
  return app;
}

/**
 * What the service does with every request before anything else: it reads which addresses the request came from, sets
 * the headers of the answer, limits the time of the handler, and sees to it that the end is logged and counted.
 */
function firstHook(
  environment: Environment,
  proxies: TrustedProxies,
  log: Logger,
  metrics: () => HttpMetrics,
) {
  const headers = responseHeaders(environment);
  const readForwardedFor = proxies.reader(log);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    readForwardedFor(request);
    const traceId = traceIdOf(request.raw, proxies);
    if (traceId !== undefined) request.traceId = traceId;
    reply.header('x-request-id', request.id).headers(headers);
    const stopClock = limitHandlerTime(environment, reply);
    onRequestEnd(request, reply, (end) => {
      stopClock();
      logRequest(log, end);
      metrics().count(end);
    });
  };
}

/** Replaces Fastify's own parsers of bodies, and adds cookies, CORS and compression. */
async function registerPlugins(app: NestFastifyApplication, environment: Environment): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, refuseOtherBody);
  // Cookies are read where they are needed, not at every request.
  await fastify.register(cookie, { hook: false });
  // Its hook comes ahead of those below, because hooks run in the order they are added: even a closed path answers a
  // preflight.
  await fastify.register(cors, corsOptions(environment));
  await compressAnswers(fastify);
}

function registerHooks(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', limitBody);
  giveWayToRequests(fastify, app.get(Pace));
  hideClosedPaths(fastify, app.get(AppModeGuard));
  closeConnectionsWhenStopping(fastify, app.get(Health));
  endHalfSentWhenStopping(fastify);
  fastify.addHook('onReady', async () => app.get(Background).start());
}

/** Tells what is sent in the background of each request. */
function giveWayToRequests(fastify: FastifyInstance, pace: Pace): void {
  fastify.addHook('onRequest', (_request, _reply, done) => {
    pace.noteRequest();
    done();
  });
}

/** Answers for a closed path as for an unknown one. */
function hideClosedPaths(fastify: FastifyInstance, appMode: AppModeGuard): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    appMode.refuseClosed(request);
    // An OPTIONS that CORS leaves unanswered is not a preflight, and its catch-all route would answer nothing else.
    if (request.method === 'OPTIONS' && request.routeOptions.url === '*') reply.callNotFound();
    else done();
  });
}

/** A connection kept alive after its last answer would hold up the shutdown until the client closes it. */
function closeConnectionsWhenStopping(fastify: FastifyInstance, health: Health): void {
  fastify.addHook('preClose', async () => {
    health.isStopping = true;
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (health.isStopping) reply.header('connection', 'close');
    done();
  });
}
