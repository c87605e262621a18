import type { Readable } from 'node:stream';
import { All, applyDecorators, HttpCode } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Environment, LimitName, NetworkLimit } from '../config/environment.js';
import { type DescribedFields, type Fields, type JsonSchema, object, text } from '../validation/schema.js';
import type { Problem } from './problem.js';
import type { Role } from './role.js';
import { RouteSettings } from './route-config.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    isOpen?: (environment: Environment) => boolean;
    /** Of @fastify/cors. */
    cors?: { preflight: boolean };
  }
}

// Everything that a controller says of its routes. The decorators only store metadata; the guards and the OpenAPI
// document read it.

/** A limit that a guard can count before the body is read: by network, or by user. */
export type RouteLimit = NetworkLimit | Extract<LimitName, `${string}PerUser`>;

/** The settings whose value a machine presents as its secret. */
export type SecretSetting = 'cronSecret' | 'metricsToken';

/** Opens a route to requests without a session. */
export const Public = Reflector.createDecorator<true>({ transform: () => true });

/** The least role that may call a route. */
export const MinRole = Reflector.createDecorator<Role>();

/** The permissions of which a caller needs all, each declared by the product; those of a controller bind its routes too. */
export const RequiresAll = Reflector.createDecorator<string[]>();

/** Closes a route, or all of a controller, to users who lack one of some permissions. */
export const Requires = (...permissions: [string, ...string[]]): MethodDecorator & ClassDecorator =>
  RequiresAll(permissions);

/** The permissions of which a key needs one. */
export const OpenToKeys = Reflector.createDecorator<string[]>();

/** Opens a route, or all of a controller, to the keys of programs that have one of some permissions. */
export const AcceptsKeys = (...permissions: [string, ...string[]]): MethodDecorator & ClassDecorator =>
  OpenToKeys(permissions);

/** Asks for a session whose user proved who they are within the last ten minutes. */
export const RequiresStepUp = Reflector.createDecorator<true>({ transform: () => true });

/** Which of the sessions that act for a user a route is open to: all, those that may write, or none. */
export type ActingAccess = 'all' | 'writers' | 'none';

/**
 * Says so of a route. Without it, reading is open to all. The rest is closed, except that the routes of a product are open to
 * those that may write. What asks for a recent proof is closed whatever this says.
 */
export const WhileActing = Reflector.createDecorator<ActingAccess>();

/** A route of the person, whatever their organizations: no organization is named, and the own role is judged. */
export const Personal = Reflector.createDecorator<true>({ transform: () => true });

/** Whether a request is into an organization, so that it has to name one of several, and meet what that one asks for. */
export type IsIntoOrg = (request: FastifyRequest) => boolean;

/** Says of a route which of its requests are into an organization. Of other routes, which are not personal, all are. */
export const IntoOrgWhen = Reflector.createDecorator<IsIntoOrg>();

/** For a route that says the same in and out of organizations. */
export const never: IsIntoOrg = () => false;

/** Closes a route to requests that are for no organization. */
export const NeedsOrg = Reflector.createDecorator<true>({ transform: () => true });

/** The limit of a route. */
export const Limited = Reflector.createDecorator<RouteLimit>();

/** Closes a route, or all of a controller, to users without a subscription. */
export const RequiresSubscription = Reflector.createDecorator<true>({ transform: () => true });

/** Says which requests of a route ask for the custom role of their caller, or for a subscription, so that the check of the session reads both. */
export const ReadsAccessWhen = Reflector.createDecorator<(request: FastifyRequest) => boolean>();

/** Closes a route where the environment does not meet a condition. */
export const OpenWhen = (isOpen: (environment: Environment) => boolean): MethodDecorator =>
  RouteSettings({ isOpen });

/** Closes a route in B2B. */
export const B2COnly = (): MethodDecorator => OpenWhen(({ appMode }) => appMode === 'b2c');

/** Closes a route in B2C. */
export const B2BOnly = (): MethodDecorator => OpenWhen(({ appMode }) => appMode === 'b2b');

/** The setting that opens a route. */
export const SecretOf = Reflector.createDecorator<SecretSetting>();

/** Opens a route to a caller who presents a setting as a bearer token; where it is not set, the route is closed. */
export const BearerSecret = (setting: SecretSetting): MethodDecorator =>
  applyDecorators(
    OpenWhen((environment) => environment[setting] !== undefined),
    SecretOf(setting),
  );

/** Says that the requests of a route stand for others. */
export const StandsForOthers = Reflector.createDecorator<true>({ transform: () => true });

/**
 * A route that proxies ask about each request of theirs. They keep its method or not, so that every method does the
 * same: the origin is judged, no body is read, and nothing passes for a preflight, which CORS would answer for any caller.
 */
export const ForwardAuth = (): MethodDecorator =>
  applyDecorators(
    All(),
    StandsForOthers(true),
    RouteSettings({ ignoresBody: true, cors: { preflight: false } }),
  );

// What a handler says of itself for the OpenAPI document. The answers of the guards and of the parser of bodies are not
// repeated here: they follow from their own decorators, in common-problems.ts.

/** A class of problems; one whose constructor takes arguments has an example of itself. */
export type DocumentedProblem = (new () => Problem) | { readonly example: Problem };

/** The bodies that a success may have, by media type; empty when it has none. */
export type Contents = Readonly<Record<string, { schema: JsonSchema }>>;

/** The bodies by status of success. */
export type Successes = Readonly<Record<string, Contents>>;

export const JSON_TYPE = 'application/json';

type Handler<Body> = (...args: never[]) => Body | Promise<Body>;
/** A decorator to which the compiler holds what the handler returns. */
export type HandlerDecorator<Body> = <H extends Handler<Body>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void;

export const SUCCESSES = 'docs:successes';

/** How the document names an operation, and sums it up. */
export const OperationOf = Reflector.createDecorator<{ operationId: string; summary: string }>();

/** The name by which clients call an operation, unique in the service, and what it does, in one sentence. */
export const Operation = (operationId: string, summary: string): MethodDecorator =>
  OperationOf({ operationId, summary });

/** The problems that come from the handler itself. */
export const Problems = Reflector.createDecorator<DocumentedProblem[]>();

/** Says of a public route that only the cookie of a pending login opens it, which a guard of the route reads. */
export const ByPendingLogin = Reflector.createDecorator<true>({ transform: () => true });

/** Opens a route that asks for a session also to the cookie of a pending login. */
export const OrByPendingLogin = Reflector.createDecorator<true>({ transform: () => true });

/** Keeps out of the document what is for people to look at. */
export const Undocumented = Reflector.createDecorator<true>({ transform: () => true });

/**
 * The status of a success and what its body is, to which the compiler holds the handler: nothing, a text of a media
 * type, or fields of JSON, which may also be asked for as a stream of a media type. Where there are several, by status
 * and null for no body, the handler sets the status by itself.
 */
export function Answers(empty: Readonly<Record<number, null>>): HandlerDecorator<void>;
export function Answers<A extends Readonly<Record<number, Fields | null>>>(
  answers: A,
): HandlerDecorator<
  { [Status in keyof A]: A[Status] extends Fields ? DescribedFields<A[Status]> : never }[keyof A]
>;
export function Answers(status: number): HandlerDecorator<void>;
export function Answers(status: number, mediaType: string): HandlerDecorator<string | Readable>;
export function Answers<F extends Fields>(status: number, fields: F): HandlerDecorator<DescribedFields<F>>;
export function Answers<F extends Fields>(
  status: number,
  fields: F,
  streamType: string,
): HandlerDecorator<DescribedFields<F> | Readable>;
export function Answers(
  first: number | Readonly<Record<number, Fields | null>>,
  ...bodies: (Fields | string)[]
): HandlerDecorator<unknown> {
  const successes: Successes =
    typeof first === 'number'
      ? { [first]: contentsOf(bodies) }
      : Object.fromEntries(
          Object.entries(first).map(([status, fields]) => [status, contentsOf(fields ? [fields] : [])]),
        );
  return (target, name, descriptor) => {
    Reflect.defineMetadata(SUCCESSES, successes, descriptor.value as object);
    HttpCode(Number(Object.keys(successes)[0]))(target, name, descriptor);
  };
}

function contentsOf(bodies: (Fields | string)[]): Contents {
  // A stream of JSON has the fields that stand before it.
  const contents = bodies
    .filter((body) => body !== JSON_TYPE)
    .map((body) =>
      typeof body === 'string' ? [body, { schema: text }] : [JSON_TYPE, { schema: object(body) }],
    );
  return Object.fromEntries(contents);
}
