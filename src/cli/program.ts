import { Command } from 'commander';
import { version } from '../config/version.js';
import type { Product } from '../start/product.js';
import { tokenKey } from './token-key.js';

/** The commands of `npm run cli --`, for the service with what a product adds. */
export function commandLine(product: Product): Command {
  // A command loads its part of the service when it runs: doctor and migrate do without most of it.
  const on =
    <Words extends unknown[]>(load: () => Promise<(product: Product, ...words: Words) => Promise<void>>) =>
    async (...words: Words) =>
      (await load())(product, ...words);

  const program = new Command('npm run cli --')
    .description('What an operator does outside the API.')
    .version(version());

  program
    .command('create-admin <address>')
    .description('make an account a SYSTEM_ADMIN, and mail it a link to set the password')
    .option('--print', 'print the link instead of mailing it')
    .option('--language <tag>', 'the language of mails to the admin')
    .addHelpText('after', examples('create-admin root@example.com', 'create-admin root@example.com --print'))
    .action(on(async () => (await import('./create-admin.js')).createAdmin));

  program
    .command('reset-factors <address>')
    .description('remove the second factors of an account, such as that of the last SYSTEM_ADMIN')
    .addHelpText('after', examples('reset-factors root@example.com'))
    .action(on(async () => (await import('./reset-factors.js')).resetFactors));

  program
    .command('org-policy <id>')
    .description('print the rules for access to an organization, or take them away')
    .option('--clear', 'take them away')
    .addHelpText('after', examples('org-policy 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11 --clear'))
    .action(on(async () => (await import('./org-policy.js')).orgPolicy));

  program
    .command('reseal')
    .description(
      'encrypt what is stored with the first secret of SVC_JWT_SECRET_KEY, before a former one is removed',
    )
    .addHelpText('after', examples('reseal'))
    .action(on(async () => (await import('./reseal.js')).reseal));

  program
    .command('token-key')
    .description('print a fresh key for SVC_TOKEN_KEYS, which signs tokens for back ends')
    .addHelpText('after', examples('token-key'))
    .action(tokenKey);

  program
    .command('doctor [address]')
    .description('examine the configuration and the database, and with an address the running service')
    .option('--json', 'findings as JSON')
    .addHelpText('after', examples('doctor', 'doctor https://api.example.com --json'))
    .action(on(async () => (await import('./doctor/doctor.js')).doctor));

  program
    .command('migrate')
    .description('bring the schema up to date, as the start of the service does')
    .option('--dry-run', 'only print the statements')
    .addHelpText('after', examples('migrate --dry-run', 'migrate'))
    .action(on(async () => (await import('./migrate.js')).migrateSchema));

  program
    .command('export')
    .description('print all accounts and organizations, JSON a line, as import takes them')
    .option('--with-password-hashes', 'with the hashes of passwords, which can be guessed at from the file')
    .option(
      '--with-second-factors',
      'with the secrets of authenticator apps, which make codes at once, and the hashes of recovery codes',
    )
    .addHelpText(
      'after',
      examples('export > users.ndjson', 'export --with-password-hashes --with-second-factors > users.ndjson'),
    )
    .action(on(async () => (await import('./transfer/export.js')).exportAccounts));

  program
    .command('import <file>')
    .description('make the accounts and organizations of a file, JSON a line; - is standard input')
    .option('--dry-run', 'make nothing, and only say what would become of each line')
    .addHelpText(
      'after',
      examples('import users.ndjson --dry-run > result.ndjson', 'import users.ndjson > result.ndjson'),
    )
    .action(on(async () => (await import('./transfer/import.js')).importAccounts));

  program
    .command('prune')
    .description('delete what has expired, as /cron does')
    .option('--dry-run', 'only count')
    .addHelpText('after', examples('prune --dry-run', 'prune'))
    .action(on(async () => (await import('./prune.js')).prune));

  program
    .command('after-restore')
    .description('end what a backup takes for valid, before the service starts on the restored database')
    .option('--yes', 'do it: all users are logged out, and all pending links end')
    .addHelpText('after', examples('after-restore --yes'))
    .action(on(async () => (await import('./after-restore.js')).afterRestore));

  program
    .command('billing')
    .description('the customers at Stripe')
    .addHelpText('after', examples('billing forget-other-mode'))
    .command('forget-other-mode')
    .description(
      'forget the customers of a former account or mode at Stripe, once the key was changed on purpose',
    )
    .option('--yes', 'do it: their next checkout makes new customers')
    .addHelpText('after', examples('billing forget-other-mode', 'billing forget-other-mode --yes'))
    .action(on(async () => (await import('./billing.js')).forgetOtherMode));

  program
    .command('mode-plan')
    .description('list the people whom the other SVC_APP_MODE would strand')
    .addHelpText('after', examples('mode-plan'))
    .action(on(async () => (await import('./mode-plan.js')).modePlan));

  program
    .command('audit')
    .description('the record of who did what')
    .addHelpText('after', examples('audit verify'))
    .command('verify')
    .description('find events, and chains of them, that were changed or taken out')
    .addHelpText('after', examples('audit verify'))
    .action(on(async () => (await import('./audit.js')).verifyAudit));

  const key = program
    .command('key')
    .description('the keys with which programs of the operator call the service')
    .addHelpText(
      'after',
      examples('key make reports --permissions latchkey.users.read --days 90', 'key list'),
    );

  key
    .command('make <name>')
    .description('make a key, and print its secret, which is shown only here')
    .requiredOption('--permissions <names>', 'what it may do, comma-separated')
    .option('--days <number>', 'days until its secret expires')
    .option('--networks <blocks>', 'the CIDR blocks that it may be used from, comma-separated')
    .option('--per-minute <number>', 'requests that it may send in a minute')
    .addHelpText('after', examples('key make reports --permissions latchkey.users.read,notes.read --days 90'))
    .action(on(async () => (await import('./keys.js')).makeKey));

  key
    .command('list')
    .description('print the keys that are live, with their last use')
    .option('--ended', 'those that have ended')
    .addHelpText('after', examples('key list', 'key list --ended'))
    .action(on(async () => (await import('./keys.js')).listKeys));

  key
    .command('rotate <id>')
    .description('print a second secret of a key, so that it can take the place of the first')
    .option('--days <number>', 'days until it expires')
    .option('--former-ends-in-hours <number>', 'when the former secret ends; 0 for at once')
    .addHelpText(
      'after',
      examples('key rotate 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11 --former-ends-in-hours 24'),
    )
    .action(on(async () => (await import('./keys.js')).rotateKey));

  key
    .command('end <id>')
    .description('end a key, and all its secrets with it, from the next request on')
    .addHelpText('after', examples('key end 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11'))
    .action(on(async () => (await import('./keys.js')).endKey));

  const permissions = program
    .command('permissions')
    .description('what the product lets some of its users do')
    .addHelpText('after', examples('permissions list', 'permissions types > src/latchkey.d.ts'));

  permissions
    .command('list')
    .description('print the permissions that are declared, and who has them')
    .addHelpText('after', examples('permissions list'))
    .action(on(async () => (await import('./permissions.js')).listPermissions));

  permissions
    .command('forget <name>')
    .description('take a permission that is no longer declared out of all roles and keys')
    .addHelpText('after', examples('permissions forget notes.purge'))
    .action(on(async () => (await import('./permissions.js')).forgetPermission));

  permissions
    .command('types')
    .description('print the types by which a front end with latchkey-client knows them')
    .addHelpText('after', examples('permissions types > src/latchkey.d.ts'))
    .action(on(async () => (await import('./permissions.js')).permissionTypes));

  const messages = program
    .command('messages')
    .description('the texts that people read, and those of your own')
    .addHelpText('after', examples('messages list login.', 'messages check ./messages'));

  messages
    .command('check [folder]')
    .description(
      'name every fault of a folder with texts and looks of your own, such as that of SVC_MESSAGES_DIR',
    )
    .addHelpText('after', examples('messages check', 'messages check ./messages'))
    .action(async (folder?: string) => (await import('./messages.js')).checkMessages(folder));

  messages
    .command('list [prefix]')
    .description('print the texts whose keys begin so, with their English')
    .option('--json', 'as a file to begin words of your own with')
    .addHelpText('after', examples('messages list mail.invitation', 'messages list --json'))
    .action(async (prefix: string | undefined, options) =>
      (await import('./messages.js')).listMessages(prefix, options),
    );

  const mail = program
    .command('mail')
    .description('the mails that wait, and what became of the others')
    .addHelpText('after', examples('mail list --state waiting', 'mail retry --all'));

  mail
    .command('list')
    .description('list mails, newest first')
    .option('--state <state>', 'only those: waiting, sent, expired or dead')
    .option('--to <address>', 'only those to an address')
    .option('--limit <number>', 'how many at most', '50')
    .addHelpText('after', examples('mail list --state dead', 'mail list --to ada@example.com --limit 5'))
    .action(on(async () => (await import('./mail.js')).listMails));

  mail
    .command('show <id>')
    .description('print all about a mail but its content')
    .addHelpText('after', examples('mail show 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11'))
    .action(on(async () => (await import('./mail.js')).showMail));

  mail
    .command('retry [id]')
    .description('send a dead letter again')
    .option('--all', 'send all of them again')
    .addHelpText('after', examples('mail retry 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11', 'mail retry --all'))
    .action(on(async () => (await import('./mail.js')).retryMails));

  mail
    .command('test <address>')
    .description('send a mail through each provider at once, and print what it answered')
    .addHelpText('after', examples('mail test ops@example.com'))
    .action(on(async () => (await import('./mail.js')).testMail));

  mail
    .command('preview [kind]')
    .description('write mails with sample names and links to files, without a database')
    .option('--language <tag>', 'only in that language')
    .option('--folder <folder>', 'where to write', 'mail-preview')
    .addHelpText('after', examples('mail preview', 'mail preview invitation --language de --folder out'))
    .action(on(async () => (await import('./mail-preview.js')).previewMails));

  const webhook = program
    .command('webhook')
    .description('the events for back ends that wait, and what became of the others')
    .addHelpText('after', examples('webhook list --state dead', 'webhook retry --all'));

  webhook
    .command('secret')
    .description('print a fresh secret for an endpoint of SVC_WEBHOOKS')
    .addHelpText('after', examples('webhook secret'))
    .action(async () => (await import('./event-endpoints.js')).webhookSecret());

  webhook
    .command('test <endpoint>')
    .description('send an endpoint an event that means nothing, and print what it answered')
    .addHelpText('after', examples('webhook test product'))
    .action(async (name: string) => (await import('./event-endpoints.js')).testEndpoint(name));

  webhook
    .command('list')
    .description('list deliveries, newest first')
    .option('--state <state>', 'only those: waiting, sent, skipped, expired or dead')
    .option('--endpoint <name>', 'only those to an endpoint')
    .option('--limit <number>', 'how many at most', '50')
    .addHelpText(
      'after',
      examples('webhook list --state waiting', 'webhook list --endpoint product --limit 5'),
    )
    .action(on(async () => (await import('./deliveries.js')).listDeliveries));

  webhook
    .command('show <id>')
    .description('print all about a delivery')
    .addHelpText('after', examples('webhook show 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11'))
    .action(on(async () => (await import('./deliveries.js')).showDelivery));

  webhook
    .command('retry [id]')
    .description('send a dead letter again')
    .option('--all', 'send all of them again')
    .addHelpText(
      'after',
      examples('webhook retry 019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11', 'webhook retry --all'),
    )
    .action(on(async () => (await import('./deliveries.js')).retryDeliveries));

  webhook
    .command('replay <endpoint>')
    .description('send an endpoint the events since an instant again')
    .requiredOption('--since <instant>', 'the instant, as in RFC 3339')
    .option('--type <type>', 'only those of a type, or of a family such as member.*')
    .addHelpText('after', examples("webhook replay product --since 2026-11-20T08:00:00Z --type 'member.*'"))
    .action(on(async () => (await import('./deliveries.js')).replayEvents));

  webhook
    .command('forget <endpoint>')
    .description('delete what waits for an endpoint that is no longer set')
    .addHelpText('after', examples('webhook forget former'))
    .action(on(async () => (await import('./deliveries.js')).forgetEndpoint));

  program
    .command('openapi <file>')
    .description('write the OpenAPI document of this build to a file')
    .addHelpText('after', examples('openapi openapi.json'))
    .action(on(async () => (await import('./openapi.js')).openApi));

  return program;
}

function examples(...calls: string[]): string {
  return ['', 'Examples:', ...calls.map((call) => `  npm run cli -- ${call}`)].join('\n');
}
