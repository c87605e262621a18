import { program } from './cli/program.js';
import { refuseToStart } from './refuse-to-start.js';

await program.parseAsync().catch(refuseToStart);
