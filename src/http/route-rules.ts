import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Role } from './role.js';
import {
  type ActingAccess,
  IntoOrgWhen,
  type IsIntoOrg,
  Limited,
  MinRole,
  NeedsOrg,
  OpenToKeys,
  OrByPendingLogin,
  Personal,
  Public,
  ReadsAccessWhen,
  RequiresAll,
  RequiresStepUp,
  RequiresSubscription,
  type RouteLimit,
  SecretOf,
  type SecretSetting,
  StandsForOthers,
  WhileActing,
} from './route.js';

/** What a route asks of its callers. */
export interface RouteRules {
  isPublic: boolean;
  /** Whether a pending login opens it too. */
  isOpenToPendingLogin: boolean;
  minRole: Role | undefined;
  /** All of them are needed. */
  permissions: readonly string[];
  /** One of them opens the route to a key; without any, it takes no keys. */
  keyPermissions: readonly string[];
  needsStepUp: boolean;
  /** What the route says of sessions that act for a user, if anything. */
  whileActing: ActingAccess | undefined;
  isPersonal: boolean;
  /** Which requests are into an organization, where not all are. */
  isIntoOrg: IsIntoOrg | undefined;
  needsOrg: boolean;
  limit: RouteLimit | undefined;
  requiresSubscription: boolean;
  /** Whether a request asks for the custom role of its caller, or for a subscription. */
  readsAccess: (request: FastifyRequest) => boolean;
  bearerSecret: SecretSetting | undefined;
  /** Whether its requests stand for others, whose method is not known. */
  standsForOthers: boolean;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;
type Controller = ReturnType<ExecutionContext['getClass']>;

const reflector = new Reflector();
const known = new WeakMap<Controller, WeakMap<Handler, RouteRules>>();

/**
 * The rules of the route that a request is for, kept once read: six guards ask for them at every request. Kept by the
 * controller too, since two that inherit a handler share one function, and may have rules of their own.
 */
export function rulesOf(context: ExecutionContext): RouteRules {
  const controller = context.getClass();
  const handler = context.getHandler();
  return known.get(controller)?.get(handler) ?? keepRules(handler, controller);
}

function keepRules(handler: Handler, controller: Controller): RouteRules {
  const rules = readRules(handler, controller);
  const ofController = known.get(controller) ?? new WeakMap<Handler, RouteRules>();
  known.set(controller, ofController.set(handler, rules));
  return rules;
}

/** Reads the decorators of a handler, and of its controller for what the handler does not say. */
export function readRules(handler: Handler, controller: Controller): RouteRules {
  const either = [handler, controller];
  const requiresSubscription = reflector.getAllAndOverride(RequiresSubscription, either) ?? false;
  const permissions = [...new Set(reflector.getAllAndMerge(RequiresAll, either))];
  const isIntoOrg = reflector.getAllAndOverride(IntoOrgWhen, either);
  return {
    isPublic: reflector.getAllAndOverride(Public, either) ?? false,
    isOpenToPendingLogin: reflector.getAllAndOverride(OrByPendingLogin, either) ?? false,
    minRole: reflector.getAllAndOverride(MinRole, either),
    keyPermissions: reflector.getAllAndOverride(OpenToKeys, either) ?? [],
    permissions,
    needsStepUp: reflector.getAllAndOverride(RequiresStepUp, either) ?? false,
    whileActing: reflector.getAllAndOverride(WhileActing, either),
    // One handler of a personal controller may still be about an organization.
    isPersonal: reflector.getAllAndOverride(Personal, either) === true && isIntoOrg === undefined,
    isIntoOrg,
    needsOrg: reflector.getAllAndOverride(NeedsOrg, either) ?? false,
    limit: reflector.getAllAndOverride(Limited, either),
    requiresSubscription,
    readsAccess:
      reflector.getAllAndOverride(ReadsAccessWhen, either) ??
      (() => requiresSubscription || permissions.length > 0),
    bearerSecret: reflector.getAllAndOverride(SecretOf, either),
    standsForOthers: reflector.getAllAndOverride(StandsForOthers, either) ?? false,
  };
}
