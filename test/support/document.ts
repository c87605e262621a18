import { previewDocument } from '../../src/cli/openapi.js';
import { parseEnvironment } from '../../src/config/read-environment.js';

/** The OpenAPI document, before there is a service to ask for it. */
export const document = await previewDocument(parseEnvironment({ SVC_ENVIRONMENT: 'dev' }));

/** Every operation of it. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path,
  })),
);

export type Operation = (typeof operations)[number];

/** The fields of the body that an operation takes, by name. */
export function bodyFields({
  requestBody,
}: Pick<Operation, 'requestBody'>): [string, Record<string, unknown>][] {
  const schema = requestBody?.content['application/json'].schema;
  return Object.entries((schema?.properties ?? {}) as Record<string, Record<string, unknown>>);
}

/** The operations that may answer with a problem. */
export function answering(code: string): Operation[] {
  return operations.filter(({ responses }) =>
    Object.values(responses).some(
      ({ content }) => code in (content?.['application/problem+json']?.examples ?? {}),
    ),
  );
}
