import { runCli } from './run-cli.js';

await runCli();
