import { readSoundEnvironment } from './config/read-environment.js';
import { createLog } from './logging/log.js';
import { refuseToStart } from './refuse-to-start.js';
import { serve } from './serve.js';

try {
  const environment = readSoundEnvironment();
  await serve(environment, await createLog(environment));
} catch (error) {
  refuseToStart(error);
}
