import { program } from 'commander';
import { createAdmin } from './cli/create-admin.js';
import { modePlan } from './cli/mode-plan.js';
import { prune } from './cli/prune.js';
import { refuseToStart } from './refuse-to-start.js';

program.name('npm run cli --').description('What an operator does beside the API.');

program
  .command('create-admin <address>')
  .description('make an account a SYSTEM_ADMIN, and mail it a link to set the password')
  .option('--print', 'print the link instead of mailing it')
  .action(createAdmin);

program
  .command('prune')
  .description('delete what has expired, as /cron does')
  .option('--dry-run', 'only count')
  .action(prune);

program
  .command('mode-plan')
  .description('list whom the other SVC_APP_MODE would strand, before it is switched on')
  .action(modePlan);

await program.parseAsync().catch(refuseToStart);
