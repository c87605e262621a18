import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { writeBundle } from '../dist/src/pages/bundle.js';
import { writeWords } from '../dist/src/words/compile.js';

// Gathers what every start of the service loads into a few files: most of a cold start is finding, reading and wrapping
// a thousand of them. What the bundle is made of stays in dist/src and dist/migrations.

/**
 * Packages that find files of their own, and clients of providers, of which a service needs one at most. TypeORM, because
 * `@nestjs/typeorm` asks for it by a `require` that esbuild does not see, and would load it a second time.
 */
const EXTERNAL = [
  'bcrypt',
  'swagger-ui-dist',
  'passport-oauth2',
  '@azure/*',
  '@sendgrid/*',
  'openai',
  'typeorm',
];

/** What is imported late stays a package: most services never import it. */
const leaveLateImports = {
  name: 'leave-late-imports',
  setup(bundle) {
    bundle.onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** As the compiler writes it: `let X = class X {` where it has decorators, `let X = X_1 = class X {` if it names itself. */
const CLASS = /^((?:export )?(?:let (?:\w+ = )+)?class) (\w+) ((?:extends .+? )?)\{/gm;
const UNNAMED_CLASS = /^(?:export )?(?:let (?:\w+ = )+)?class (?!.*\{ static name = )/m;

/**
 * Writes the name of each class of ours into it, as esbuild renames what it finds twice, and what mentions itself. Names
 * are codes of problems, and what logs and errors say. The code of packages stays as it is: esbuild's own `keepNames` would
 * add a call to each closure, whenever it is made.
 */
const keepClassNames = {
  name: 'keep-class-names',
  setup(bundle) {
    bundle.onLoad({ filter: /\/dist\/(src|migrations)\/.+\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replaceAll(
        CLASS,
        (_, keyword, name, parent) =>
          `${keyword} ${keyword.includes('=') ? '' : `${name} `}${parent}{ static name = "${name}";`,
      );
      if (UNNAMED_CLASS.test(contents)) throw new Error(`A class in ${path} would lose its name.`);
      return { contents };
    });
  },
};

await build({
  entryPoints: ['main', 'dev', 'cli', 'ready'].map((name) => `dist/src/${name}.js`),
  outdir: 'dist',
  chunkNames: 'bundle/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  external: EXTERNAL,
  plugins: [leaveLateImports, keepClassNames],
  // Packages of the older kind ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
});

// What the build says of itself in the log, in /metrics and in /system. An engine that builds the image gets no .git.
const git = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
writeFileSync('dist/commit', process.env.LATCHKEY_COMMIT || git.stdout?.trim() || 'unknown');

await writeBundle('dist/pages');

await writeWords('dist/words');
