import { DataSource } from 'typeorm';
import { Org } from '../../accounts/org.entity.js';
import { SealedSecretsRepository } from '../../accounts/sealed-secrets.repository.js';
import { TotpFactor } from '../../accounts/totp-factor.entity.js';
import { User } from '../../accounts/user.entity.js';
import { TotpService } from '../../auth/second-factor/totp.service.js';
import type { Environment } from '../../config/environment.js';
import { OperatorError } from '../../config/operator-error.js';
import type { Finding } from '../../config/preflight/finding.js';
import { ScheduledJob } from '../../cron/scheduled-job.entity.js';
import { ScheduledJobsRepository } from '../../cron/scheduled-jobs.repository.js';
import { serviceAddress } from '../../database/first-connection.js';
import { Migrations } from '../../database/migrations.js';
import { schemaFindings } from '../../database/schema-findings.js';
import { MailLedgerRepository } from '../../mail/mail-ledger.repository.js';
import { OUTBOX } from '../../mail/outbox.repository.js';
import { KNOWN_FORMS } from '../../passwords/password-hasher.js';
import { OutagesRepository } from '../../queues/outages.repository.js';
import type { StateCount } from '../../queues/queue-ledger.repository.js';
import { dataSourceOptions } from '../../start/data-source.js';
import { readSchema } from '../../start/migrate.js';
import type { Product } from '../../start/product.js';
import { canonicalAddress } from '../../validation/address.js';
import { examineClock } from './clock.js';
import { examineCustomers } from './customers.js';
import { examineDeliveries } from './events.js';
import { examineOrgs } from './orgs.js';
import { examinePermissions } from './permissions.js';

const PATIENCE_SECONDS = 900;

/** Those that the repositories below read by, and those that these refer to. */
const ENTITIES = [Org, User, TotpFactor, ScheduledJob];

/** The findings in the service's database, read without migrating it. */
export async function examineDatabase(environment: Environment, product: Product): Promise<Finding[]> {
  let schema: Finding[];
  try {
    schema = schemaFindings(
      await readSchema(serviceAddress(environment), new Migrations(product.migrations)),
    );
  } catch (error) {
    if (error instanceof OperatorError) return [error.finding];
    throw error;
  }
  const database = await new DataSource({
    ...dataSourceOptions(environment),
    entities: ENTITIES,
  }).initialize();
  return examine(database, schema, environment, product).finally(() => database.destroy());
}

async function examine(
  database: DataSource,
  schema: Finding[],
  environment: Environment,
  product: Product,
): Promise<Finding[]> {
  const [{ now }] = await database.query('SELECT clock_timestamp() AS now');
  const clock = examineClock('CLOCK_OF_DATABASE', 'PostgreSQL', now);
  // An older database may lack the tables that the other questions are about.
  if (schema.some(({ severity }) => severity === 'error')) return [...clock, ...schema];
  const rights = await examineRights(database);
  if (rights.length > 0) return [...clock, ...schema, ...rights];
  return [
    ...clock,
    ...schema,
    ...(await examineCron(database, environment)),
    ...(await examineMail(database, environment)),
    ...(await examineDeliveries(database, environment)),
    ...(await examineAddresses(database)),
    ...(await examinePasswords(database)),
    ...(await examineSecrets(database, environment)),
    ...(await examineOrgs(database, environment)),
    ...(await examineCustomers(database, environment)),
    ...(await examinePermissions(database, environment, product)),
  ];
}

/** Each table that the role may not read or write as the service does; the list of migrations is only read. */
async function examineRights(database: DataSource): Promise<Finding[]> {
  const refused: { name: string; rights: string }[] = await database.query(
    `SELECT c.relname AS name, string_agg(privilege, ', ') AS rights
       FROM pg_class c, unnest(CASE WHEN c.relname = 'migrations' THEN ARRAY['SELECT']
                                    ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS asked (privilege)
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT has_table_privilege(c.oid, privilege)
      GROUP BY c.relname
      ORDER BY c.relname`,
  );
  if (refused.length === 0) return [];
  const tables = refused.map(({ name, rights }) => `${name} (${rights})`);
  return [
    {
      code: 'DATABASE_RIGHTS_MISSING',
      severity: 'error',
      text: `The role of the service lacks rights on tables: ${tables.join(', ')}.`,
      fix: 'Grant them again, as under "Two roles" in docs/deploy.md.',
    },
  ];
}

async function examineCron(database: DataSource, { cronLateAfterHours }: Environment): Promise<Finding[]> {
  const jobs = new ScheduledJobsRepository(database);
  if (!(await jobs.isLate('prune', cronLateAfterHours))) return [];
  const last = (await jobs.lastSuccess('prune'))?.toISOString() ?? 'never';
  return [
    {
      code: 'CRON_LATE',
      severity: 'error',
      text: `What has expired was last pruned: ${last}.`,
      fix: 'Have a scheduler call /cron with SVC_CRON_SECRET, or set SVC_CRON_SCHEDULE.',
    },
  ];
}

/** Accounts that were made before addresses had the form they have now, and whose form another account has. */
async function examineAddresses(database: DataSource): Promise<Finding[]> {
  const users: { id: string; email: string }[] = await database.query(
    'SELECT id, email FROM users WHERE octet_length(email) > char_length(email) ORDER BY id',
  );
  const unreachable = users.filter(({ email }) => canonicalAddress(email) !== email);
  if (unreachable.length === 0) return [];
  return [
    {
      code: 'ADDRESSES_COLLIDE',
      severity: 'warning',
      text: `Accounts with an address that their users cannot log in with: ${unreachable.map(({ id }) => id).join(', ')}.`,
      fix: 'Another account may have the same address in the form the service writes. Give each another address in the table users, or delete it.',
    },
  ];
}

/** Counts the hashes that another system left in the table, and that no password can be compared with. */
async function examinePasswords(database: DataSource): Promise<Finding[]> {
  const [{ unknown }] = await database.query(
    'SELECT count(*)::int AS unknown FROM users WHERE password_hash !~ $1',
    [KNOWN_FORMS],
  );
  if (unknown === 0) return [];
  return [
    {
      code: 'PASSWORD_HASHES_UNKNOWN',
      severity: 'warning',
      text: `Accounts whose password_hash has a form that the service does not know: ${unknown}. Their passwords are wrong for it.`,
      fix: 'The service compares bcrypt alone ($2a$, $2b$, $2x$, $2y$). Their owners set a new password by mail.',
    },
  ];
}

/** Counts the secrets of authenticator apps that only a former SVC_JWT_SECRET_KEY opens, or none at all. */
async function examineSecrets(database: DataSource, environment: Environment): Promise<Finding[]> {
  const totp = new TotpService(environment);
  let [former, lost] = [0, 0];
  for await (const batch of new SealedSecretsRepository(database).batches()) {
    const { renewed, unreadable } = totp.reseal(batch);
    former += renewed.length;
    lost += unreadable;
  }
  const findings: Finding[] = [];
  if (former > 0)
    findings.push({
      code: 'SECRETS_UNDER_FORMER_KEY',
      severity: 'warning',
      text: `Secrets of authenticator apps that a former secret encrypts: ${former}.`,
      fix: 'Before you remove it from SVC_JWT_SECRET_KEY: npm run cli -- reseal',
    });
  if (lost > 0)
    findings.push({
      code: 'SECRETS_UNREADABLE',
      severity: 'error',
      text: `Secrets of authenticator apps that no secret in SVC_JWT_SECRET_KEY opens: ${lost}. Their users cannot log in with a code.`,
      fix: 'Add the former secret after the first, separated by a comma, then: npm run cli -- reseal',
    });
  return findings;
}

async function examineMail(database: DataSource, { emailProvider }: Environment): Promise<Finding[]> {
  const findings: Finding[] = [];
  const refusing = await new OutagesRepository(database, OUTBOX.outages).refusing([emailProvider]);
  if (refusing.length > 0)
    findings.push({
      code: 'MAIL_KEY_REFUSED',
      severity: 'error',
      text: `${emailProvider} refuses the key, the login or the sender it is given.`,
      fix: 'See which with: npm run cli -- mail test <address>; the service sends what waits once that succeeds.',
    });
  return [...findings, ...judgeOutbox(await new MailLedgerRepository(database).countByState())];
}

function judgeOutbox(states: StateCount[]): Finding[] {
  const findings: Finding[] = [];
  const waiting = states.find(({ state }) => state === 'waiting');
  if (waiting && waiting.oldestSeconds > PATIENCE_SECONDS)
    findings.push({
      code: 'MAIL_WAITING',
      severity: 'error',
      text: `Mails wait: ${waiting.count}, the oldest for ${Math.round(waiting.oldestSeconds / 60)} minutes.`,
      fix: 'Look for the reason with: npm run cli -- mail list --state waiting',
    });
  const dead = states.find(({ state }) => state === 'dead');
  if (dead)
    findings.push({
      code: 'MAIL_DEAD',
      severity: 'warning',
      text: `Mails were given up: ${dead.count}.`,
      fix: 'See why with: npm run cli -- mail list --state dead; send them again with: mail retry --all',
    });
  return findings;
}
