import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import type { Environment } from '../config/environment.js';
import { readEnvironment } from '../config/read-environment.js';

const DEV = { SVC_ENVIRONMENT: 'dev' };

/** The settings of `npm run dev`. Where any port will do it is chosen here, because links have to name it. */
export async function readDevEnvironment(): Promise<Environment> {
  const environment = await readEnvironment(DEV);
  if (environment.port !== 0) return environment;
  return readEnvironment({ ...DEV, SVC_PORT: String(await findFreePort(environment.host)) });
}
