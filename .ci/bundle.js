import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { writeBundle } from '../dist/src/pages/bundle.js';

// Gathers what every start of the service loads into a few files: most of a cold start is finding, reading and wrapping
// a thousand of them. What the bundle is made of stays in dist/src and dist/migrations.

/** Packages that find files of their own, and clients of providers, of which a service needs one at most. */
const EXTERNAL = ['bcrypt', 'swagger-ui-dist', 'passport-oauth2', '@azure/*', '@sendgrid/*', 'openai'];

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
const OURS = /\/dist\/(src|migrations)\//;
const UNNAMED_CLASS = /^(?:export )?(?:let (?:\w+ = )+)?class (?!.*\{ static name = )/m;

/**
 * What packages load at the start without need, and what stands there instead. Each is a tenth of a start.
 *
 * `pg` asks whether it runs at Cloudflare: where there is no `navigator`, as on Node 20, it makes a Response, for which
 * Node loads its whole HTTP client. `@nestjs/typeorm` asks TypeORM for what versions before 1 had, by a `require` that
 * esbuild does not see, and so loads the package a second time.
 */
const NEEDLESS = [
  [/\/pg\/lib\/stream\.js$/, 'if (isCloudflareRuntime()) {', 'if (false) {'],
  [/@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/, /^.*createRequire.*$/gm, ''],
];

function withoutNeedless(path, contents) {
  return NEEDLESS.filter(([file]) => file.test(path)).reduce((code, [, needless, instead]) => {
    const changed = code.replaceAll(needless, instead);
    if (changed === code) throw new Error(`${path} no longer has ${needless}.`);
    return changed;
  }, contents);
}

/**
 * Writes the name of each class into it, as esbuild renames what it finds twice, and what mentions itself. Names are codes
 * of problems, what logs and errors say, and what Nest tells its own lines of the log apart by. esbuild's own `keepNames`
 * would name every closure whenever it is made.
 */
const keepClassNames = {
  name: 'keep-class-names',
  setup(bundle) {
    bundle.onLoad({ filter: /\.[cm]?js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replaceAll(
        CLASS,
        (_, keyword, name, parent) =>
          `${keyword} ${keyword.includes('=') ? '' : `${name} `}${parent}{ static name = "${name}";`,
      );
      if (OURS.test(path) && UNNAMED_CLASS.test(contents))
        throw new Error(`A class in ${path} would lose its name.`);
      return { contents: withoutNeedless(path, contents) };
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
