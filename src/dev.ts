import { serveDev } from './serve-dev.js';

await serveDev();
