/**
 * Holds three rules of the house: the statements of one folder write a table, a statement names no table of a higher
 * floor, and SQL stands in repositories. What is allowed beside them is listed here with its reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLOORS } from '../.dependency-cruiser.js';

/** Tables that a second folder writes. */
const SECOND_WRITERS = {
  'webhook_deliveries audit':
    'an event and its deliveries are inserted by one statement, or one could be lost',
};

/** Tables that a folder below theirs names. */
const NAMED_FROM_BELOW = {
  'billing_customers accounts':
    'the check of a session reads whether a subscription admits, where the route asks',
  'users audit':
    'an admin of an organization does not see where a SYSTEM_ADMIN sat, and who is one now stands there, as do addresses',
  'memberships audit': 'an admin searches among the members, and is shown the addresses of members alone',
  'organizations audit': 'a list of events names the organizations in which they happened, in one statement',
  'webhook_deliveries audit': 'the second writer above',
};

/** Files with SQL that are no repositories. Folders end in a slash. */
const BESIDE_REPOSITORIES = {
  'src/database/': 'what the repositories stand on',
  'src/audit/transactions.ts': 'opens the transactions and hands statements on',
  'src/queues/notifications.ts': 'LISTEN, on a connection of its own',
  'src/observability/': 'asks whether the database answers and takes writes',
  'src/system/system.service.ts': 'asks for the version of PostgreSQL',
  'src/start/migrate.ts': 'migrates',
  'src/cli/': 'asks on the command line what no request asks',
};

const WRITES_BY_NAME = /\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?:ONLY\s+)?([a-z_]+)\b/g;
const NAMED = /\b(?:INTO|UPDATE|FROM|JOIN)\s+(?:ONLY\s+)?([a-z_]+)\b/g;
const WRITES_BY_ENTITY = /\.(?:insert|update|delete|upsert|save|into|from)\(\s*([A-Z]\w+)\b/g;
const ENTITY = /@Entity\('(\w+)'\)[\s\S]*?\nexport class (\w+)/g;
const SQL = /\.(?:query|createQueryBuilder)\b[(<]|\bmanager\.(?:find|insert|update|delete|exists|count|save)/;

const files = readdirSync('src', { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const folderOf = (path) => path.split('/')[1];
const tableOf = new Map();
const homeOf = new Map();
for (const { path, text } of files)
  for (const [, table, entity] of text.matchAll(ENTITY)) {
    tableOf.set(entity, table);
    homeOf.set(table, folderOf(path));
  }

const writers = new Map();
for (const { path, text } of files) {
  const named = [...text.matchAll(WRITES_BY_NAME)].map(([, table]) => table);
  const entities = [...text.matchAll(WRITES_BY_ENTITY)].map(([, entity]) => tableOf.get(entity));
  for (const table of [...named, ...entities].filter((each) => homeOf.has(each)))
    writers.set(table, new Set([...(writers.get(table) ?? []), folderOf(path)]));
}

const faults = [];
for (const [table, folders] of writers) {
  const allowed = Object.keys(SECOND_WRITERS).filter((key) => key.startsWith(`${table} `));
  const others = [...folders].filter((folder) => !allowed.includes(`${table} ${folder}`));
  if (others.length > 1)
    faults.push(`${table} is written by ${others.sort().join(' and ')}: let one of them do it.`);
}
const namedFromBelow = new Set();
for (const { path, text } of files)
  for (const [, table] of text.matchAll(NAMED)) {
    const [home, folder] = [homeOf.get(table), folderOf(path)];
    if (home === undefined || !FLOORS.includes(folder) || FLOORS.indexOf(home) >= FLOORS.indexOf(folder))
      continue;
    namedFromBelow.add(`${table} ${folder}`);
    if (!NAMED_FROM_BELOW[`${table} ${folder}`])
      faults.push(`${path} names ${table}, a table of ${home}/, which is above ${folder}/.`);
  }
for (const key of Object.keys(NAMED_FROM_BELOW))
  if (!namedFromBelow.has(key)) faults.push(`NAMED_FROM_BELOW lists ${key}, which is no longer so.`);
for (const { path, text } of files) {
  const isAllowed =
    path.endsWith('.repository.ts') ||
    Object.keys(BESIDE_REPOSITORIES).some((place) => path.startsWith(place));
  if (!isAllowed && SQL.test(text)) faults.push(`${path} has SQL: move it to a repository.`);
}
for (const key of Object.keys(SECOND_WRITERS)) {
  const [table, folder] = key.split(' ');
  if (!writers.get(table)?.has(folder)) faults.push(`SECOND_WRITERS lists ${key}, which no longer writes.`);
}
for (const place of Object.keys(BESIDE_REPOSITORIES))
  if (!files.some(({ path, text }) => path.startsWith(place) && SQL.test(text)))
    faults.push(`BESIDE_REPOSITORIES lists ${place}, which has no SQL.`);

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`Each of ${writers.size} tables is written by one folder.`);
