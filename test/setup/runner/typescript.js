// node --import test/setup/runner/typescript.js: lets Node import TypeScript as the build would compile it.
import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

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
  const { transformSync } = await import('@swc/core');
  const filename = fileURLToPath(url.replace(/\?.*/, ''));
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...SWC, filename });
  return { format: 'module', source: code, shortCircuit: true };
}
