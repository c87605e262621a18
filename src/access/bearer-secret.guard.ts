import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { Unauthenticated } from '../errors/errors.js';
import { isOneOf } from '../secrets/same-secret.js';
import { OpenWhen } from './app-mode.guard.js';

/** The settings that a machine presents to be let in. */
type SecretSetting = 'cronSecret' | 'metricsToken';

/** The setting that opens a route. */
export const SecretOf = Reflector.createDecorator<SecretSetting>();

/** Opens a route to whoever presents a setting as a bearer token; where it is not set, the route is closed. */
export const BearerSecret = (setting: SecretSetting): MethodDecorator =>
  applyDecorators(
    OpenWhen((environment) => environment[setting] !== undefined),
    SecretOf(setting),
    UseGuards(BearerSecretGuard),
  );

/** Admits whoever presents a secret of the route, current or former, as a bearer token. */
@Injectable()
class BearerSecretGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly environment: Environment,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const secrets = this.environment[this.reflector.get(SecretOf, context.getHandler())];
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!secrets || !isOneOf(presented, secrets))
      throw new Unauthenticated('Send the secret of this route in the header "Authorization: Bearer …".');
    return true;
  }
}
