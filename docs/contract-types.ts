import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { previewDocument } from '../src/cli/openapi.js';
import { readEnvironment } from '../src/config/read-environment.js';
import type { OpenApiDocument } from '../src/openapi/document.js';

type Operations = OpenApiDocument['paths'][string];
type Operation = Operations[string];

const PROBLEM = 'application/problem+json';

/** What openapi-typescript writes for each path and answer, and says nothing: what is never there, and any header. */
const NOISE = [
  /^ +\w+\?: never;\n/gm,
  /^ +headers: \{\n.*unknown;\n +\};\n/gm,
  /^ +\/\*\* @(description|enum) .*\n/gm,
  /^ +parameters: \{\n +\};\n/gm,
  /^export (type|interface) (webhooks|\$defs|operations).*;\n/gm,
];

/** Operations that few pages need. They are called by their routes, as each name weighs on every page that has the client. */
const CALLED_BY_ROUTE = [
  'listPermissions',
  'listRoles',
  'makeRole',
  'updateRole',
  'removeRole',
  'exportMe',
  'actForUser',
  'stopActing',
  'mailStepUpCode',
];

/** The text of src/client/contract.ts: what the client knows of the service. */
export async function clientContract(): Promise<string> {
  const { webhooks: _, ...document } = await previewDocument(
    await readEnvironment({ SVC_ENVIRONMENT: 'dev' }),
  );
  const paths = pathsForPeople(document.paths);
  const schemas = withoutProblems(document.components.schemas);
  const reduced = { ...document, paths: withCodes(paths), components: { schemas } } as unknown as OpenAPI3;
  const types = await openapiTS(reduced, { defaultNonNullable: false });

  return `// Written by npm run contract from what the routes say of themselves.

/** Method and path of each operation that the client has by itself. */
export const ROUTES = {
${namesOf(paths, (operation) => !isForAdmins(operation))}
} as const;

/** Those of admins, which the client has with the part for them. */
export const ADMIN_ROUTES = {
${namesOf(paths, isForAdmins)}
} as const;

${NOISE.reduce((text, noise) => text.replace(noise, ''), astToString(types))}`;
}

/** The operations that a front end calls. */
function pathsForPeople(paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  return mapOperations(paths, (operation, path) =>
    /^\/(health|\.well-known)\//.test(path) || isForMachines(operation) ? [] : [operation],
  );
}

/** Whether a bearer secret opens it, its body is signed, a redirect leads to it, a link saves what it answers, or a frame shows that. */
function isForMachines({ security, requestBody, responses }: Operation): boolean {
  const hasSecret = security.some((scheme) => Object.keys(scheme).some((name) => name.startsWith('SVC_')));
  const takesBytes = requestBody?.content['application/json'].schema.additionalProperties === true;
  const isFile = ['text/csv', 'text/html'].some((type) => responses['200']?.content?.[type] !== undefined);
  return hasSecret || takesBytes || isFile || '302' in responses;
}

/** The operations, with one list of codes each in place of a schema for each problem. */
function withCodes(paths: OpenApiDocument['paths']) {
  return mapOperations(paths, ({ responses, operationId: _, ...operation }) => {
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const problem = { properties: { code: { enum: codesIn(responses) } }, required: ['code'] };
    const refusal = { description: '', content: { [PROBLEM]: { schema: problem } } };
    return [{ ...operation, responses: Object.fromEntries([...successes, ['default', refusal]]) }];
  });
}

function codesIn(responses: Operation['responses']): string[] {
  const examples = Object.values(responses).flatMap(({ content }) => content?.[PROBLEM]?.examples ?? []);
  return [...new Set(examples.flatMap(Object.keys))].sort();
}

/** What `map` makes of each operation, by path and method, without what is empty then. */
function mapOperations<T>(paths: OpenApiDocument['paths'], map: (operation: Operation, path: string) => T[]) {
  const mapped: Record<string, Record<string, T>> = {};
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations))
      for (const result of map(operation, path)) mapped[path] = { ...mapped[path], [method]: result };
  return mapped;
}

function withoutProblems(schemas: Record<string, unknown>): Record<string, unknown> {
  const isProblem = (schema: unknown) => JSON.stringify(schema).includes('"request_id"');
  return Object.fromEntries(Object.entries(schemas).filter(([, schema]) => !isProblem(schema)));
}

/** Whether only admins may call it, be it of an organization or of the system. */
function isForAdmins({ description = '' }: Operation): boolean {
  return /^For the role `(org|sys)_admin`/.test(description);
}

function namesOf(paths: OpenApiDocument['paths'], isMeant: (operation: Operation) => boolean): string {
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(
          ([, operation]) => isMeant(operation) && !CALLED_BY_ROUTE.includes(`${operation.operationId}`),
        )
        .map(
          ([method, { operationId, summary }]) =>
            `  /** ${summary} */\n  ${operationId}: '${method.toUpperCase()} ${path}',`,
        ),
    )
    .join('\n');
}
