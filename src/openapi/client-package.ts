import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder, version } from '../config/version.js';
import { NotFound } from '../http/errors.js';

/** The npm package of the client, as the build has named it. */
export const CLIENT_PACKAGE = `latchkey-client-${version()}.tgz`;

/** Throws NotFound where the service runs from its sources, without a build. */
export async function clientPackage(): Promise<Buffer> {
  try {
    return await readFile(join(packageFolder(), 'dist/client', CLIENT_PACKAGE));
  } catch {
    throw new NotFound();
  }
}
