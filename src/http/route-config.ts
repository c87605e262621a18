import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';

/** Adds to what Fastify knows of a route. Nest's own decorator would replace what another one has set. */
export const RouteSettings =
  (settings: FastifyContextConfig): MethodDecorator =>
  (target, name, descriptor) => {
    const handler = descriptor.value as object;
    const former: FastifyContextConfig = Reflect.getMetadata(RouteConfig({}).KEY, handler) ?? {};
    const twice = Object.keys(settings).find((setting) => setting in former);
    if (twice) throw new TypeError(`Two decorators of ${String(name)} say ${twice}.`);
    RouteConfig({ ...former, ...settings })(target, name, descriptor);
  };
