import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Packs the service for npm, for products that run in its process: dist/latchkey-<version>.tgz, of what npm run build made.
// It is the code that the bundle is made of: a product and the service must share one copy of these packages, because two
// keep two lists of decorated classes, and a class of one copy is none of the other.
const SHARED = [
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];

const FOLDER = 'dist/package';
const TYPES = 'dist/types';

/** The programs of this repository; a product has its own. The one that asks whether the service is ready is for both. */
const PROGRAMS = /\/(main|dev|cli|watch)\.js$/;

const service = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync(FOLDER, { recursive: true, force: true });
copyCode();
copyTypes();
writeFileSync(`${FOLDER}/package.json`, JSON.stringify(packed(service), null, 2));
execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist', `./${FOLDER}`], { stdio: 'ignore' });
rmSync(FOLDER, { recursive: true });

function copyCode() {
  const isOurs = (path) => !path.endsWith('.map') && !PROGRAMS.test(path);
  for (const folder of ['src', 'migrations', 'tools', 'pages', 'client', 'words'])
    cpSync(`dist/${folder}`, `${FOLDER}/dist/${folder}`, { recursive: true, filter: isOurs });
  cpSync('dist/commit', `${FOLDER}/dist/commit`);
  for (const file of ['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md'])
    cpSync(file, `${FOLDER}/${file}`);
}

/** Only the declarations that the public files lead to: a compiler reads no other. */
function copyTypes() {
  execFileSync('node', ['node_modules/typescript/bin/tsc', '--project', '.ci/package', '--outDir', TYPES], {
    stdio: 'inherit',
  });
  const files = new Set(['src/latchkey.d.ts', 'src/testing.d.ts']);
  for (const file of files) {
    const text = readFileSync(join(TYPES, file), 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g))
      files.add(`${join(dirname(file), path)}.d.ts`);
    const copy = join(FOLDER, 'dist', file);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  }
  rmSync(TYPES, { recursive: true });
}

/** The package.json of the package. Whatever is in none of its exports cannot be imported. */
function packed({ name, version, description, license, type, engines, dependencies, ...others }) {
  const entries = Object.entries(dependencies);
  const isShared = ([dependency]) => SHARED.includes(dependency);
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    exports: {
      '.': { types: './dist/src/latchkey.d.ts', default: './dist/src/latchkey.js' },
      './testing': { types: './dist/src/testing.d.ts', default: './dist/src/testing.js' },
    },
    peerDependencies: Object.fromEntries(
      entries.filter(isShared).map(([shared, exact]) => [shared, `^${exact}`]),
    ),
    dependencies: Object.fromEntries(entries.filter((entry) => !isShared(entry))),
    optionalDependencies: others.optionalDependencies,
  };
}
