import { serve } from './start/serve.js';

await serve();
