import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline, Readable, Transform } from 'node:stream';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Environment } from '../../src/config/environment.js';
import type { OpenApiDocument } from '../../src/openapi/document.js';
import { openApiDocument } from '../../src/openapi/document.js';
import { routesIn } from '../../src/openapi/routes.js';

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

/** How values of each format look; the rules of the service hold addresses to more than the word says. */
export const FORMATS = {
  email: true as const,
  uri: true as const,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
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
  /** It reads the whole document as a schema, and takes what belongs to OpenAPI alone for unknown words. */
  private readonly schemas = new Ajv2020({
    allErrors: true,
    formats: FORMATS,
    strict: false,
    validateSchema: false,
  });

  constructor(private readonly document: OpenApiDocument) {
    this.schemas.addSchema(document, 'document');
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

    const errors = this.errorsIn(body, answer);
    if (errors) return `${promise} is not as in the OpenAPI document: ${errors}`;
    this.note(promise);
    return null;
  }

  private note(promise: string): void {
    if (this.seen.has(promise)) return;
    this.seen.add(promise);
    if (FOLDER !== undefined) appendFileSync(join(FOLDER, `seen-${process.pid}`), `${promise}\n`);
  }

  /** What is wrong with a body, or null. A schema is compiled when an answer first needs it. */
  private errorsIn(body: unknown, { method, path, status, type }: GivenAnswer): string | null {
    const { content } = this.document.paths[path]?.[method.toLowerCase()]?.responses[status] ?? {};
    if (content === undefined) return body === undefined ? null : 'it has a body';
    const operation = ['paths', path, method.toLowerCase()];
    const steps = [...operation, 'responses', `${status}`, 'content', type, 'schema'];
    const isValid = this.schemas.getSchema(`document#/${steps.map(pointerStep).join('/')}`);
    if (!isValid) return `there is no schema for ${type}`;
    return isValid(body) ? null : this.schemas.errorsText(isValid.errors);
  }
}

/** A step of a JSON pointer (RFC 6901 §6). */
function pointerStep(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
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
  contract ??= new Contract(
    openApiDocument(routesIn(service.get(ModulesContainer)), service.get(Environment)),
  );
  const fastify = service.getHttpAdapter().getInstance();

  fastify.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    const answer = {
      method,
      path: routeOptions.url?.replace(/:(\w+)/g, '{$1}') ?? '',
      status: reply.statusCode,
      type: String(reply.getHeader('content-type') ?? '').replace(/;.*/, ''),
    };
    const judge = (text: string) => {
      const given = { ...answer, payload: text };
      const fault = contract?.has(given) ? contract.faultOf(given) : null;
      if (fault !== null) faults.push(fault);
    };
    if (payload instanceof Readable && answer.type.endsWith('json')) return readThrough(payload, judge);
    judge(String(payload ?? ''));
  });
}

/** The same stream, whose whole text is told where it does not break off. */
function readThrough(stream: Readable, tell: (text: string) => void): Readable {
  const chunks: Buffer[] = [];
  const through = new Transform({
    transform: (chunk, _, done) => {
      chunks.push(chunk);
      done(null, chunk);
    },
    flush: (done) => {
      tell(Buffer.concat(chunks).toString());
      done();
    },
  });
  return pipeline(stream, through, () => {});
}
