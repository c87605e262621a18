import './v8-flags.js';
import cluster from 'node:cluster';
import { readSoundEnvironment } from './config/read-environment.js';
import { version } from './config/version.js';
import { createLog } from './observability/log.js';
import { refuseToStart } from './refuse-to-start.js';
import { serve } from './serve.js';
import { Workers } from './workers.js';

if (process.argv.includes('--version')) {
  console.log(version());
  process.exit(0);
}
try {
  const environment = readSoundEnvironment();
  const log = await createLog(environment);
  if (cluster.isPrimary && environment.workers > 1) await new Workers(environment, log).serve();
  else await serve(environment, log);
} catch (error) {
  refuseToStart(error);
}
