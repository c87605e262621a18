import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Environment } from '../../src/config/environment.js';
import { openApiDocument } from '../../src/openapi/document.js';
import { routesIn } from '../../src/openapi/routes.js';
import { Contract } from './contract.js';

/** One for all services of a test file: their documents differ in nothing that an answer shows. */
let contract: Contract | undefined;

const faults: string[] = [];

/** What was answered unlike the document promises since the last call. */
export function takeFaults(): string[] {
  return faults.splice(0);
}

/** Holds every answer of a service against its OpenAPI document. */
export function holdToContract(service: NestFastifyApplication): void {
  const routes = routesIn(service.get(ModulesContainer));
  contract ??= new Contract(openApiDocument(routes, service.get(Environment)));
  const fastify = service.getHttpAdapter().getInstance();

  fastify.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    const answer = {
      method,
      path: routeOptions.url?.replace(/:(\w+)/g, '{$1}') ?? '',
      status: reply.statusCode,
      type: String(reply.getHeader('content-type') ?? '').replace(/;.*/, ''),
      payload: String(payload ?? ''),
    };
    const fault = contract?.has(answer) ? contract.faultOf(answer) : null;
    if (fault !== null) faults.push(fault);
  });
}
