import {
  InsufficientPermission,
  InsufficientRole,
  InternalError,
  MalformedBody,
  MembershipSuspended,
  NotAMember,
  NotFound,
  NotWhileActing,
  OrgPolicyUnmet,
  OrgRequired,
  OriginNotAllowed,
  PayloadTooLarge,
  ServiceUnavailable,
  SessionRenewed,
  StepUpRequired,
  SubscriptionRequired,
  TooManyRequests,
  Unauthenticated,
  UnsupportedMediaType,
  ValidationFailed,
} from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';
import { type DocumentedProblem, never } from '../http/route.js';
import { hasId } from './request.js';
import type { Route } from './routes.js';

/** The problems that a route answers before its handler or in spite of it, and on which routes each can happen. */
const COMMON: [DocumentedProblem, (route: Route) => boolean][] = [
  [MalformedBody, isParsed],
  [PayloadTooLarge, isUnsafe],
  [UnsupportedMediaType, isUnsafe],
  [ValidationFailed, (route) => isChecked(route) || namesOrg(route)],
  [OrgRequired, (route) => namesOrg(route) && route.isIntoOrg !== never],
  [NotAMember, ({ needsOrg }) => needsOrg],
  [MembershipSuspended, (route) => namesOrg(route) || entersOrg(route)],
  [OrgPolicyUnmet, entersOrg],
  [OriginNotAllowed, isUnsafe],
  [Unauthenticated, (route) => !route.isPublic || route.bearerSecret !== undefined],
  [SessionRenewed, ({ isPublic }) => !isPublic],
  [SubscriptionRequired, ({ requiresSubscription }) => requiresSubscription],
  [InsufficientRole, ({ minRole }) => minRole !== undefined && !isAtLeast(Role.READONLY, minRole)],
  [InsufficientPermission, ({ permissions }) => permissions.length > 0],
  [NotWhileActing, mayBeClosedWhileActing],
  [StepUpRequired, (route) => route.needsStepUp || entersOrg(route)],
  [NotFound, (route) => route.mayBeClosed || namesOrg(route) || route.path.includes(':org_id')],
  [TooManyRequests, ({ limit, bearerSecret }) => limit !== undefined || bearerSecret !== undefined],
  [InternalError, needsDatabase],
  [ServiceUnavailable, needsDatabase],
];

/** The problems of the guards and the parser of bodies on a route, and those that any statement may end in. */
export function commonProblems(route: Route): DocumentedProblem[] {
  return COMMON.filter(([, canHappen]) => canHappen(route)).map(([problem]) => problem);
}

/** Whether the header of a request may name its organization. */
export function namesOrg({ isPublic, isPersonal, path }: Route): boolean {
  return !isPublic && !isPersonal && !path.includes(':org_id');
}

/** Whether a request can be into an organization. */
function entersOrg({ isPublic, isPersonal, isIntoOrg }: Route): boolean {
  return !isPublic && !isPersonal && isIntoOrg !== never;
}

/** Whether an admin who acts for a user is refused: everywhere but where nothing is changed. */
function mayBeClosedWhileActing(route: Route): boolean {
  const { isPublic, minRole, needsStepUp, whileActing = isUnsafe(route) ? 'writers' : 'all' } = route;
  return !isPublic && minRole !== Role.SYSTEM_ADMIN && (needsStepUp || whileActing !== 'all');
}

function isUnsafe({ method }: Route): boolean {
  return method !== 'get';
}

/** Whether a body is read as JSON, also where the handler has no use for one. */
function isParsed(route: Route): boolean {
  return isUnsafe(route) && !route.takesBytes;
}

/** Whether anything that a client sends is checked: a body that the handler does not take is not. */
function isChecked({ body, takesBytes, query, path }: Route): boolean {
  return (body !== undefined && !takesBytes) || query !== undefined || hasId(path);
}

function needsDatabase(route: Route): boolean {
  return !route.isPublic || isUnsafe(route);
}
