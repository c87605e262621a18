// node --import test/setup/runner/typescript.js: lets Node import TypeScript as the build would compile it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

const { version } = createRequire(import.meta.url)('@swc/core/package.json');
const KEPT = 'node_modules/.cache/latchkey-tests';
const GLOBALS = new URL('globals.js', import.meta.url).href;
const SWC = {
  sourceMaps: 'inline',
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

/** The sources import each other as Node will find them, with .js; beside it lies the .ts. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true };
  if (
    specifier.startsWith('.') &&
    specifier.endsWith('.js') &&
    !context.parentURL.includes('/node_modules/')
  ) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url) || url.includes('/node_modules/')) return next(url, context);
  const source = await compiled(fileURLToPath(url.replace(/\?.*/, '')));
  return { format: 'module', source, shortCircuit: true };
}

/** A file as JavaScript. What was compiled before is kept: it is a fifth of the time that a single test takes. */
async function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([source, filename, SWC, version]))
    .digest('hex');
  const kept = join(KEPT, `${key}.js`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');

  const { transformSync } = await import('@swc/core');
  const { code } = transformSync(source, { ...SWC, filename });
  mkdirSync(KEPT, { recursive: true });
  // Renamed once it is whole: another process may be about to read it.
  const draft = `${kept}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, kept);
  return code;
}
