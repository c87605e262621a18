// npm run fixture: leaves test/upgrade/<version>.json, a database as this version leaves it, for the versions after it to
// migrate. Once, with each release; it is not written again, as are the migrations.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import startPostgres from '../setup/start-postgres.js';
import stopPostgres from '../setup/stop-postgres.js';
import { TestDatabase } from '../support/test-database.js';
import { readFixture } from './fixture.js';
import { fillDatabase } from './story.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const file = `test/upgrade/${version}.json`;
if (existsSync(file)) throw new Error(`${file} exists: raise the version first.`);

await startPostgres();
try {
  const database = await TestDatabase.create();
  const fixture = await readFixture(database, await fillDatabase(database));
  await database.close();
  const empty = Object.entries(fixture.rows).filter(([, rows]) => rows.length === 0);
  if (empty.length > 0) throw new Error(`No row is in ${empty.map(([table]) => table).join(', ')}.`);
  writeFileSync(file, `${JSON.stringify(fixture, null, 2)}\n`);
} finally {
  await stopPostgres();
}
