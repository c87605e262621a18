import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import responseValidator from 'openapi-response-validator';
import { Environment } from '../../src/config/environment.js';
import type { OpenApiDocument } from '../../src/openapi/document.js';
import { openApiDocument } from '../../src/openapi/document.js';
import { routesIn } from '../../src/openapi/routes.js';

const { default: ResponseValidator } = responseValidator;

const PROBLEM = 'application/problem+json';

/** Problems of requests that never reach an operation. */
const BEFORE_ANY_OPERATION = [
  'BadRequest',
  'RequestTimeout',
  'UriTooLong',
  'ExpectationFailed',
  'HeadersTooLarge',
];

/** Where the files of a run note what is promised and what they saw, for test/setup/contract-reporter.js to compare. */
const { LATCHKEY_TEST_CONTRACT: FOLDER } = process.env;

const FORMATS = {
  uuid: (value: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value),
  'date-time': (value: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
};

/** An answer to a request that a route of the document matched. */
interface GivenAnswer {
  method: string;
  path: string;
  status: number;
  type: string;
  payload: string;
}

/** The OpenAPI document, what it promises, and what of that has been seen. */
export class Contract {
  private readonly promised: Set<string>;
  private readonly seen = new Set<string>();
  private readonly validators = new Map<string, InstanceType<typeof ResponseValidator>>();

  constructor(private readonly document: OpenApiDocument) {
    this.promised = promisesOf(document);
    if (FOLDER !== undefined) writeFileSync(join(FOLDER, 'promised'), [...this.promised].join('\n'));
  }

  /** Whether the document has an operation; pages and files for people are left out of it. */
  has({ method, path }: GivenAnswer): boolean {
    return this.document.paths[path]?.[method.toLowerCase()] !== undefined;
  }

  /** Notes an answer. Returns what is wrong with it, or null when the document promises it so. */
  faultOf(answer: GivenAnswer): string | null {
    const body = answer.type.endsWith('json') ? JSON.parse(answer.payload) : answer.payload || undefined;
    const code = answer.type === PROBLEM ? body.code : undefined;
    if (BEFORE_ANY_OPERATION.includes(code)) return null;

    const promise = nameOf(answer.method, answer.path, answer.status, code);
    if (!this.promised.has(promise))
      return `${promise} is not in the OpenAPI document: name it in @Answers or @Problems of the handler.`;

    const error = this.validatorOf(answer).validateResponse(String(answer.status), body);
    if (error) return `${promise} is not as in the OpenAPI document: ${JSON.stringify(error)}`;
    this.note(promise);
    return null;
  }

  private note(promise: string): void {
    if (this.seen.has(promise)) return;
    this.seen.add(promise);
    if (FOLDER !== undefined) appendFileSync(join(FOLDER, `seen-${process.pid}`), `${promise}\n`);
  }

  /** Compiled when first needed: a test file sees only a part of the answers, and each costs some milliseconds. */
  private validatorOf({ method, path, status, type }: GivenAnswer): InstanceType<typeof ResponseValidator> {
    const name = nameOf(method, path, status, type);
    const { content } = this.document.paths[path]?.[method.toLowerCase()]?.responses[status] ?? {};
    const args = {
      responses: { [status]: content ? { content: { [type]: content[type] } } : {} },
      components: this.document.components,
      customFormats: FORMATS,
    };
    const validator = this.validators.get(name) ?? new ResponseValidator(args as never);
    this.validators.set(name, validator);
    return validator;
  }
}

/** What a document promises: `POST /auth/login 200`, `POST /auth/login 403 EmailNotVerified` and so on. */
function promisesOf({ paths }: OpenApiDocument): Set<string> {
  const operations = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({ method, path, responses })),
  );
  const promises = operations.flatMap(({ method, path, responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) => {
      const codes = Object.keys(content?.[PROBLEM]?.examples ?? {});
      return codes.length > 0
        ? codes.map((code) => nameOf(method, path, status, code))
        : nameOf(method, path, status);
    }),
  );
  return new Set(promises);
}

function nameOf(method: string, path: string, status: string | number, code?: string): string {
  return [method.toUpperCase(), path, status, ...(code ? [code] : [])].join(' ');
}

/** One for all services of a process: their documents differ in nothing that an answer shows. */
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
