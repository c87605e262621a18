import { writeFile } from 'node:fs/promises';
import { readEnvironment } from '../config/read-environment.js';
import { previewDocument } from './preview.js';

/** `openapi <file>`: the OpenAPI document of this build; it is the same whatever the service is configured to do. */
export async function openApi(file: string): Promise<void> {
  const document = await previewDocument(readEnvironment({ SVC_ENVIRONMENT: 'dev' }));
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
}
