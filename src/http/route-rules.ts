import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Role } from './role.js';
import {
  Limited,
  MinRole,
  OrByPendingLogin,
  Public,
  Recent,
  RequiresSubscription,
  type RouteLimit,
  SecretOf,
  type SecretSetting,
  StandsForOthers,
} from './route.js';

/** What a route asks of its callers. */
export interface RouteRules {
  isPublic: boolean;
  /** Whether a pending login opens it too. */
  isOpenToPendingLogin: boolean;
  minRole: Role | undefined;
  needsRecent: boolean;
  limit: RouteLimit | undefined;
  requiresSubscription: boolean;
  bearerSecret: SecretSetting | undefined;
  /** Whether its requests stand for others, whose method is not known. */
  standsForOthers: boolean;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;
type Controller = ReturnType<ExecutionContext['getClass']>;

const reflector = new Reflector();
const known = new WeakMap<Handler, RouteRules>();

/** The rules of the route that a request is for, kept once read: six guards ask for them at every request. */
export function rulesOf(context: ExecutionContext): RouteRules {
  const handler = context.getHandler();
  let rules = known.get(handler);
  if (rules === undefined) {
    rules = readRules(handler, context.getClass());
    known.set(handler, rules);
  }
  return rules;
}

/** Reads the decorators of a handler, and of its controller for what the handler does not say. */
export function readRules(handler: Handler, controller: Controller): RouteRules {
  const either = [handler, controller];
  return {
    isPublic: reflector.getAllAndOverride(Public, either) ?? false,
    isOpenToPendingLogin: reflector.getAllAndOverride(OrByPendingLogin, either) ?? false,
    minRole: reflector.getAllAndOverride(MinRole, either),
    needsRecent: reflector.getAllAndOverride(Recent, either) ?? false,
    limit: reflector.getAllAndOverride(Limited, either),
    requiresSubscription: reflector.getAllAndOverride(RequiresSubscription, either) ?? false,
    bearerSecret: reflector.getAllAndOverride(SecretOf, either),
    standsForOthers: reflector.getAllAndOverride(StandsForOthers, either) ?? false,
  };
}
