import { ModulesContainer, NestFactory } from '@nestjs/core';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { routesIn } from '../../src/openapi/routes.js';
import { AppModule } from '../../src/start/app.module.js';

const preview = await NestFactory.createApplicationContext(
  AppModule.with(parseEnvironment({ SVC_ENVIRONMENT: 'dev' })),
  { preview: true, logger: false },
);

/** Every route of the document with what its decorators say, before there is a service to ask. */
export const documentedRoutes = routesIn(preview.get(ModulesContainer)).map((route) => ({
  ...route,
  name: `${route.method.toUpperCase()} ${route.path}`,
}));

export type DocumentedRoute = (typeof documentedRoutes)[number];
