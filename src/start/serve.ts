import './v8-flags.js';
import cluster from 'node:cluster';
import { readSoundEnvironment } from '../config/read-environment.js';
import { version } from '../config/version.js';
import { createLog } from '../observability/log.js';
import type { Product } from './product.js';
import { refuseToStart } from './refuse-to-start.js';
import { serveInProcess } from './serve-in-process.js';
import { Workers } from './workers.js';

/**
 * Serves, with what a product adds. It reads and checks the settings, brings the schema up to date, and listens; SIGTERM
 * and SIGINT end the process once the requests in flight are answered. With `SVC_WORKERS` above 1 it starts that many
 * processes, each of which runs the main file again. Where it cannot start it prints the reason, and ends the process
 * with 1.
 */
export async function serve(product: Product = {}): Promise<void> {
  if (process.argv.includes('--version')) {
    console.log(version());
    process.exit(0);
  }
  // All that a start loads is loaded by now, so that an image can keep what V8 compiled of it.
  if (process.argv.includes('--warm')) process.exit(0);
  try {
    const environment = await readSoundEnvironment();
    const log = await createLog(environment);
    if (cluster.isPrimary && environment.workers > 1) await new Workers(environment, product, log).serve();
    else await serveInProcess(environment, product, log);
  } catch (error) {
    refuseToStart(error);
  }
}
