import type { Environment } from '../config/environment.js';
import { Unauthenticated } from '../http/errors.js';
import { pendingLoginCookieName } from '../sessions/session-cookies.js';
import { type JsonSchema, NAME } from '../validation/schema.js';
import { namesOrg } from './common-problems.js';
import { problemExample } from './problem-schema.js';
import { ANY_BODY, ORG_PARAMETER, pathParameters, queryParameters, requestBody } from './request.js';
import { problemsOf, responsesOf } from './responses.js';
import type { Route } from './routes.js';
import { sectionOf, sectionsOf } from './sections.js';
import { webhooksOfDocument } from './webhooks.js';

/** The version of the contract, not of the service: it changes when clients have to change. */
const VERSION = '1';

const DESCRIPTION = `
JSON in and out, in UTF-8, with fields in \`snake_case\` and times in UTC. A field that an operation does not name is refused.

Call it from the SPA with \`credentials: 'include'\`: the session is an HttpOnly cookie, set by the login. Requests that change
something are taken from allowed origins only.

Every error is a problem (RFC 9457) with a \`code\` to branch on and the \`request_id\` that the log has. What cannot be read as a
request to any operation is answered \`BadRequest\`, \`RequestTimeout\`, \`UriTooLong\`, \`ExpectationFailed\` or \`HeadersTooLarge\`.`;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The operations of a path, by method. */
type Path = Record<string, ReturnType<typeof operationOf>>;

/** The OpenAPI document of some routes. */
export function openApiDocument(routes: Route[], environment: Environment) {
  const { baseApiUrl, sessionCookieName } = environment;
  const schemas: Record<string, unknown> = {};
  const problems = routes.flatMap(problemsOf);

  return {
    openapi: '3.1.0',
    info: { title: 'Latchkey', version: VERSION, description: DESCRIPTION },
    servers: [{ url: baseApiUrl }],
    tags: sectionsOf(routes.map(({ path }) => path)),
    paths: withReferences(pathsOf(routes), schemas),
    webhooks: withReferences(webhooksOfDocument(), schemas),
    components: {
      schemas,
      examples: Object.fromEntries(
        problems.map((problem) => [problem.code, problemExample(problem, baseApiUrl)]),
      ),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookieName },
        pendingLogin: { type: 'apiKey', in: 'cookie', name: pendingLoginCookieName(environment) },
        ...bearerSchemes(routes),
      },
    },
  };
}

function pathsOf(routes: Route[]): Record<string, Path> {
  const paths: Record<string, Path> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return paths;
}

/** A route as an operation of OpenAPI. */
export function operationOf(route: Route) {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.minRole && { description: `For the role \`${route.minRole}\` and those above it.` }),
    tags: [sectionOf(route.path)],
    security: securityOf(route),
    parameters: [
      ...pathParameters(route.path),
      ...(route.query ? queryParameters(route.query) : []),
      ...(namesOrg(route) ? [ORG_PARAMETER] : []),
    ],
    ...(route.body && { requestBody: route.takesBytes ? ANY_BODY : requestBody(route.body) }),
    responses: responsesOf(route),
  };
}

/** A public route that may answer `Unauthenticated` takes a session into account, where there is one. */
function securityOf({
  isPublic,
  isByPendingLogin,
  isOpenToPendingLogin,
  bearerSecret,
  problems,
}: Route): Record<string, []>[] {
  if (isByPendingLogin) return [{ pendingLogin: [] }];
  if (bearerSecret !== undefined) return [{ [bearerSecret]: [] }];
  if (isOpenToPendingLogin) return [{ session: [] }, { pendingLogin: [] }];
  if (!isPublic) return [{ session: [] }];
  return problems.includes(Unauthenticated) ? [{}, { session: [] }] : [];
}

function bearerSchemes(routes: Route[]) {
  const variables = routes.flatMap(({ bearerSecret = [] }) => bearerSecret);
  return Object.fromEntries(variables.map((variable) => [variable, { type: 'http', scheme: 'bearer' }]));
}

/** Moves the schemas that have a name to where such schemas are kept, and refers to them in their place. */
function withReferences<T>(value: T, schemas: Record<string, unknown>): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => withReferences(entry, schemas)) as T;

  const entries = Object.entries(value).map(([key, content]) => [key, withReferences(content, schemas)]);
  const { [NAME]: name } = value as JsonSchema;
  if (name === undefined) return Object.fromEntries(entries);
  schemas[name] = Object.fromEntries(entries);
  return { $ref: `#/components/schemas/${name}` } as T;
}
