import { ModulesContainer, NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import type { Environment } from '../config/environment.js';
import { type OpenApiDocument, openApiDocument } from '../openapi/document.js';
import { routesIn } from '../openapi/routes.js';

/**
 * The OpenAPI document of a service that does not run, with every route, also those that its settings close: in a
 * preview Nest makes no provider, so that none needs a database.
 */
export async function previewDocument(environment: Environment): Promise<OpenApiDocument> {
  const options = { preview: true, logger: false } as const;
  const preview = await NestFactory.createApplicationContext(AppModule.with(environment), options);
  return openApiDocument(routesIn(preview.get(ModulesContainer)), environment);
}
