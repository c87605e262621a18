import { Command } from 'commander';
import { verifyAudit } from './audit.js';
import { createAdmin } from './create-admin.js';
import { doctor } from './doctor/doctor.js';
import { listMails, retryMails, showMail, testMail } from './mail.js';
import { modePlan } from './mode-plan.js';
import { openApi } from './openapi.js';
import { prune } from './prune.js';

/** The commands of `npm run cli --`. */
export const program = new Command('npm run cli --').description('What an operator does outside the API.');

program
  .command('create-admin <address>')
  .description('make an account a SYSTEM_ADMIN, and mail it a link to set the password')
  .option('--print', 'print the link instead of mailing it')
  .action(createAdmin);

program
  .command('doctor [address]')
  .description('examine the configuration and the database, and with an address the running service')
  .option('--json', 'findings as JSON')
  .action(doctor);

program
  .command('prune')
  .description('delete what has expired, as /cron does')
  .option('--dry-run', 'only count')
  .action(prune);

program
  .command('mode-plan')
  .description('list the people whom the other SVC_APP_MODE would strand')
  .action(modePlan);

program
  .command('audit')
  .description('the record of who did what')
  .command('verify')
  .description('find events that were changed or taken out')
  .action(verifyAudit);

const mail = program.command('mail').description('the mails that wait, and what became of the others');

mail
  .command('list')
  .description('list mails, newest first')
  .option('--state <state>', 'only those: waiting, sent, expired or dead')
  .option('--to <address>', 'only those to an address')
  .option('--limit <number>', 'how many at most', '50')
  .action(listMails);

mail.command('show <id>').description('print all about a mail but its content').action(showMail);

mail
  .command('retry [id]')
  .description('send a dead letter again')
  .option('--all', 'send all of them again')
  .action(retryMails);

mail
  .command('test <address>')
  .description('send a mail through each provider at once, and print what it answered')
  .action(testMail);

program
  .command('openapi <file>')
  .description('write the OpenAPI document of this build to a file')
  .action(openApi);
