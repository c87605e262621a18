import type { ADMIN_ROUTES, components, paths, ROUTES } from './contract.js';

/** An operation, as the OpenAPI document has it. */
type Described = { responses: object };

type At<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never;
type Json<T> = At<At<T, 'content'>, 'application/json'>;
/** What openapi-typescript writes as `query?: never` holds no field. */
type Fields<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
/** One object of an intersection, whose optional fields may also be undefined. */
type Flat<T> = { [Name in keyof T]: object extends Pick<T, Name> ? T[Name] | undefined : T[Name] };

/** The routes of some paths, such as `GET /users/me`. */
export type Route<P> = {
  [Path in keyof P & string]: {
    [Method in keyof P[Path] & string]: P[Path][Method] extends Described
      ? `${Uppercase<Method>} ${Path}`
      : never;
  }[keyof P[Path] & string];
}[keyof P & string];

/** The operation of a route. */
export type OperationAt<P, R> = R extends `${infer Method} ${infer Path}`
  ? At<At<P, Path>, Lowercase<Method>>
  : never;

/** What an operation takes: what its path and its query name, and the fields of its body, in one object. */
export type Input<O> = Flat<
  Fields<At<At<O, 'parameters'>, 'path'>> &
    Fields<At<At<O, 'parameters'>, 'query'>> &
    Fields<Json<NonNullable<At<O, 'requestBody'>>>>
>;

/** What an operation answers, whichever success it is; undefined where that has no body. */
export type Answer<O> = BodyOf<At<At<O, 'responses'>, 200 | 201 | 202 | 204>>;
type BodyOf<Response> = Response extends unknown
  ? [Json<Response>] extends [never]
    ? undefined
    : Json<Response>
  : never;

/** The codes of the problems that an operation may answer. */
type ProblemCode<O> = At<
  At<At<At<At<O, 'responses'>, keyof At<O, 'responses'>>, 'content'>, 'application/problem+json'>,
  'code'
>;

/** What a call takes besides the input. */
export interface CallOptions {
  /** Ends the call; its promise is then rejected with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** The arguments of a call: without input where the operation requires none. */
export type Arguments<O> = keyof Input<O> extends never
  ? [input?: Record<string, never> | undefined, options?: CallOptions]
  : Record<string, never> extends Input<O>
    ? [input?: Input<O> | undefined, options?: CallOptions]
    : [input: Input<O>, options?: CallOptions];

/** The operations of some routes, by name. */
export type OperationsOf<Routes> = {
  readonly [Name in keyof Routes]: (
    ...args: Arguments<OperationAt<paths, Routes[Name]>>
  ) => Promise<Answer<OperationAt<paths, Routes[Name]>>>;
};

/** The arguments of a call in an organization, whose id a path then takes from the client. */
export type ArgumentsInOrg<O, R> = R extends `${string}{org_id}${string}`
  ? WithoutOrg<Arguments<O>>
  : Arguments<O>;

/** Without the id, what is required of an input may be nothing. That of another organization does not compile. */
type WithoutOrg<Args> = Args extends [input: infer I extends object, options?: CallOptions]
  ? Record<string, never> extends Omit<I, 'org_id'>
    ? [input?: InputInOrg<I> | undefined, options?: CallOptions]
    : [input: InputInOrg<I>, options?: CallOptions]
  : Args;

type InputInOrg<I> = Omit<I, 'org_id'> & { org_id?: never };

/** The operations of some routes in an organization, by name. */
export type OperationsInOrg<Routes> = {
  readonly [Name in keyof Routes]: (
    ...args: ArgumentsInOrg<OperationAt<paths, Routes[Name]>, Routes[Name]>
  ) => Promise<Answer<OperationAt<paths, Routes[Name]>>>;
};

/** Latchkey's operations by name, without those of admins. */
export type Operations = OperationsOf<typeof ROUTES>;

/** The operations that only admins may call, by name. */
export type AdminOperations = OperationsOf<typeof ADMIN_ROUTES>;

type AllRoutes = typeof ROUTES & typeof ADMIN_ROUTES;

/** What a back end is sent, which tells the kinds of events apart by `type`. */
export type WebhookEvent = components['schemas']['UserEvent' | 'OrgEvent' | 'SubscriptionEvent'];

/** The codes that an operation may throw, by its name, for a `switch` over all of them. */
export type CodesOf<Name extends keyof AllRoutes> =
  | ProblemCode<OperationAt<paths, AllRoutes[Name]>>
  | 'Unreachable';

/** Every code of Latchkey. */
export type Code = CodesOf<keyof AllRoutes>;
