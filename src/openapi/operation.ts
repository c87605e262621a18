import { Unauthenticated } from '../http/errors.js';
import { ANY_BODY, pathParameters, queryParameters, requestBody } from './request.js';
import { responsesOf } from './responses.js';
import type { Route } from './routes.js';
import { sectionOf } from './sections.js';

/** A route as an operation of OpenAPI. */
export function operationOf(route: Route) {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.minRole && { description: `For the role \`${route.minRole}\` and those above it.` }),
    tags: [sectionOf(route.path)],
    security: securityOf(route),
    parameters: [...pathParameters(route.path), ...(route.query ? queryParameters(route.query) : [])],
    ...(route.body && { requestBody: route.takesBytes ? ANY_BODY : requestBody(route.body) }),
    responses: responsesOf(route),
  };
}

/** A public route that may answer `Unauthenticated` takes a session into account, where there is one. */
function securityOf({ isPublic, bearerSecret, problems }: Route): Record<string, []>[] {
  if (bearerSecret !== undefined) return [{ [bearerSecret]: [] }];
  if (!isPublic) return [{ session: [] }];
  return problems.includes(Unauthenticated) ? [{}, { session: [] }] : [];
}
