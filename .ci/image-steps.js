// Runs the steps of the Dockerfile one by one, in folders instead of images, for machines without a Docker engine;
// then runs what came of them as a container. Needs a build of the working copy, whose PostgreSQL it uses.

import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../dist/src/embedded-postgres/embedded-postgres.js';
import { findFreePort } from '../dist/src/embedded-postgres/free-port.js';
import { Container } from './container.js';
import { readStages } from './dockerfile.js';
import { Image } from './image.js';

/** What node:24-bookworm-slim has unpacked. */
const BASE_MB = 230;

const HEALTHY_WITHIN_MS = 30_000;

const temp = mkdtempSync(join(tmpdir(), 'latchkey-image-'));
// The user of the image must be able to enter.
chmodSync(temp, 0o755);

try {
  const image = build();
  checkPackages(image);
  tellSize(image);
  await run(image);
} finally {
  rmSync(temp, { recursive: true, force: true });
}

/** Takes every step of every stage; the last stage is the image. */
function build() {
  const images = new Map();
  for (const { name, instructions } of readStages('Dockerfile')) {
    const image = new Image(join(temp, name), images);
    images.set(name, image);
    for (const step of instructions) {
      const startedAt = performance.now();
      image.take(step);
      console.log(`${seconds(startedAt)}  ${name}: ${step.instruction} ${step.args.slice(0, 80)}`);
    }
  }
  return [...images.values()].at(-1);
}

/** What the lock file calls a package of development, or an optional one, must not be there. */
function checkPackages({ folder }) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json')));
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if ((dev || optional || devOptional) && existsSync(join(folder, path)))
      throw new Error(`${path} has come into the image`);
  }
}

function tellSize({ folder }) {
  const files = readdirSync(folder, { recursive: true }).map((file) => lstatSync(join(folder, file)));
  const megabytes = Math.round(files.reduce((bytes, { size }) => bytes + size, 0) / 1e6);
  console.log(`The service takes ${megabytes} MB, so the image about ${BASE_MB + megabytes} MB unpacked.`);
}

/** Starts it on an empty database, waits until it is healthy, and stops it. */
async function run(image) {
  const postgres = await EmbeddedPostgres.start({ dataDir: join(temp, 'postgres') });
  const startedAt = performance.now();
  const container = new Container(image, {
    SVC_ENVIRONMENT: 'beta',
    SVC_BASE_WEB_URL: 'https://app.example.com',
    SVC_BASE_API_URL: 'https://api.example.com',
    SVC_HOST: '127.0.0.1',
    SVC_PORT: String(await findFreePort('127.0.0.1')),
    SVC_DATABASE_URL: postgres.url,
    SVC_JWT_SECRET_KEY: 'the secret of a container that lives for seconds',
    SVC_EMAIL_PROVIDER: 'stub',
    SVC_LOG_LEVEL: 'warn',
  });

  try {
    await container.untilHealthy(HEALTHY_WITHIN_MS);
    console.log(`${seconds(startedAt)}  healthy`);
    const stoppedAt = performance.now();
    const exit = await container.stop();
    console.log(`${seconds(stoppedAt)}  ended with ${exit} after SIGTERM`);
    if (exit !== 0) throw new Error('a SIGTERM must end it with 0');
    if (container.isHealthy()) throw new Error('the HEALTHCHECK passes though nothing runs');
  } finally {
    container.kill();
    await postgres.stop();
  }
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(8);
}
