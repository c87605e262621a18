import { serveDev } from './start/serve-dev.js';

await serveDev();
