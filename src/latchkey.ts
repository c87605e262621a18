// All that a product may import from the package `latchkey`; docs/product.md shows how. Semantic Versioning covers
// these names, and no other file of the package can be imported.

// To run the service.

export type { PermissionDeclaration, PermissionDeclarations } from './access/permissions.js';
export { runCli } from './cli/run-cli.js';
export type { Product } from './start/product.js';
export { serve } from './start/serve.js';
export { serveDev } from './start/serve-dev.js';

// To test a product: a service to inject requests into, on a migrated database.

export { readEnvironment } from './config/read-environment.js';
export { createLog } from './observability/log.js';
export { createApp } from './start/app.js';
export { migrate } from './start/migrate.js';

// What a route says of itself.

export { Role } from './http/role.js';
export {
  AcceptsKeys,
  Answers,
  B2BOnly,
  B2COnly,
  MinRole,
  NeedsOrg,
  Operation,
  Personal,
  Problems,
  Public,
  Requires,
  RequiresStepUp,
  RequiresSubscription,
  WhileActing,
} from './http/route.js';

// Who calls.

export {
  type Actor,
  By,
  type CallerKey,
  type CallerOrg,
  type CallerSession,
  type CallerUser,
  CurrentOrg,
  CurrentOrgId,
  CurrentPrincipal,
  CurrentSession,
  CurrentUser,
  type Principal,
} from './http/caller.js';

// What comes in: rules for fields, beside those of class-validator.

export { IdParam } from './http/id-param.js';
export { type Page, PageQuery, pageFields, pageOf } from './http/page.js';
export { check } from './validation/check.js';
export {
  IfGiven,
  IsAddress,
  IsFlagText,
  IsIdList,
  IsInstant,
  IsName,
  IsText,
  WholeNumber,
} from './validation/rules.js';

// What goes out: the schemas of answers.

export {
  address,
  anything,
  count,
  counts,
  type Described,
  type DescribedFields,
  type Fields,
  flag,
  instant,
  type JsonSchema,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
  uuid,
} from './validation/schema.js';

// What goes wrong: the name of a class of problems is its code.

export {
  InsufficientPermission,
  InsufficientRole,
  NotAMember,
  NotFound,
  NotWhileActing,
  OrgRequired,
  ServiceUnavailable,
  TooManyRequests,
  Unauthenticated,
  ValidationFailed,
} from './http/errors.js';
export { type FieldError, Problem, type ProblemExtras } from './http/problem.js';

// What Nest injects where a class asks for it.

export { Environment } from './config/environment.js';
export { Health } from './observability/health.js';
export { Metrics } from './observability/metrics.js';
export { Background } from './queues/background.js';
export type { Job } from './queues/job-loop.js';
