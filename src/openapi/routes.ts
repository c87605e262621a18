import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner, type ModulesContainer, Reflector } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';
import type { Environment } from '../config/environment.js';
import { variableName } from '../config/variable-name.js';
import {
  ByPendingLogin,
  type DocumentedProblem,
  OperationOf,
  Problems,
  SUCCESSES,
  type Successes,
  Undocumented,
} from '../http/route.js';
import { type RouteRules, readRules } from '../http/route-rules.js';

/** A route, and all that its decorators say of it. */
export interface Route extends Omit<RouteRules, 'bearerSecret'> {
  method: string;
  /** As Fastify knows it, such as `/orgs/:org_id`. */
  path: string;
  /** Name and summary are missing where a route of a product has no `@Operation`. */
  operationId: string | undefined;
  summary: string | undefined;
  successes: Successes;
  problems: DocumentedProblem[];
  /** Whether it may be closed, by the app mode or by a missing setting. */
  mayBeClosed: boolean;
  isOpen: (environment: Environment) => boolean;
  /** The variable with the secret that a caller presents as a bearer token. */
  bearerSecret: string | undefined;
  /** Whether only the cookie of a pending login opens it. */
  isByPendingLogin: boolean;
  /** Whether the handler reads the body by itself: it is neither parsed nor checked. */
  takesBytes: boolean;
  /** The classes that the body and the query are checked against. */
  body: Type | undefined;
  query: Type | undefined;
}

const reflector = new Reflector();

/**
 * Every route of the controllers in some modules, but the undocumented. HEAD goes without saying where there is GET.
 */
export function routesIn(modules: ModulesContainer): Route[] {
  return [...modules.values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype }) => routesOf(metatype as Type))
    .filter(({ method }) => method !== 'head');
}

function routesOf(controller: Type): Route[] {
  return new MetadataScanner()
    .getAllMethodNames(controller.prototype)
    .filter((name) => Reflect.hasMetadata(PATH_METADATA, controller.prototype[name]))
    .filter((name) => !reflector.getAllAndOverride(Undocumented, [controller.prototype[name], controller]))
    .map((name) => routeOf(controller, name));
}

function routeOf(controller: Type, name: string): Route {
  const handler = controller.prototype[name];
  const either = [handler, controller];
  const config: FastifyContextConfig = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) ?? {};
  const { bearerSecret, ...rules } = readRules(handler, controller);
  const operation = reflector.get(OperationOf, handler);

  return {
    ...rules,
    method: methodOf(handler),
    path: pathOf(controller, handler),
    operationId: operation?.operationId,
    summary: operation?.summary,
    successes: Reflect.getMetadata(SUCCESSES, handler) ?? {},
    problems: reflector.getAllAndMerge(Problems, either) ?? [],
    mayBeClosed: config.isOpen !== undefined,
    isOpen: config.isOpen ?? (() => true),
    bearerSecret: bearerSecret && variableName(bearerSecret),
    isByPendingLogin: reflector.getAllAndOverride(ByPendingLogin, either) ?? false,
    takesBytes: config.takesBytes ?? false,
    body: argumentClass(controller, name, RouteParamtypes.BODY),
    query: argumentClass(controller, name, RouteParamtypes.QUERY),
  };
}

/** One that takes every method stands in the document as GET. */
function methodOf(handler: object): string {
  const method = (RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)] ?? '').toLowerCase();
  return method === 'all' ? 'get' : method;
}

function pathOf(controller: Type, handler: object): string {
  const parts: string[] = [controller, handler].map((part) => Reflect.getMetadata(PATH_METADATA, part));
  return `/${parts.filter((part) => part !== '/').join('/')}`;
}

/** The class of the argument that takes the body, or the query, as the compiler noted it. */
function argumentClass(controller: Type, name: string, source: RouteParamtypes): Type | undefined {
  const sources: Record<string, unknown> = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const key = Object.keys(sources).find((argument) => argument.startsWith(`${source}:`));
  const classes: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, name) ?? [];
  return key === undefined ? undefined : classes[Number(key.split(':')[1])];
}
