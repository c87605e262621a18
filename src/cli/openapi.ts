import { writeFile } from 'node:fs/promises';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { Environment } from '../config/environment.js';
import { readEnvironment } from '../config/read-environment.js';
import { type OpenApiDocument, openApiDocument } from '../openapi/document.js';
import { routesIn } from '../openapi/routes.js';
import { AppModule } from '../start/app.module.js';
import type { Product } from '../start/product.js';

/** `openapi <file>`: the OpenAPI document of this build; it is the same whatever the service is configured to do. */
export async function openApi(product: Product, file: string): Promise<void> {
  const document = await previewDocument(await readEnvironment({ SVC_ENVIRONMENT: 'dev' }), product);
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
}

/**
 * The OpenAPI document of a service that does not run, with every route, also those that its settings close: in a
 * preview Nest makes no provider, so that none needs a database.
 */
export async function previewDocument(
  environment: Environment,
  product: Product = {},
): Promise<OpenApiDocument> {
  const options = { preview: true, logger: false, abortOnError: false } as const;
  const preview = await NestFactory.createApplicationContext(AppModule.with(environment, product), options);
  return openApiDocument(routesIn(preview.get(ModulesContainer)), environment);
}
