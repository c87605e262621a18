import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { clientLanguage } from '../dist/src/words/client-language.js';
import { languageTags } from '../dist/src/words/language-file.js';

// Packs src/client for npm: dist/client/latchkey-client-<version>.tgz, with the version of the service.

const FOLDER = 'dist/client/package';
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

execFileSync('node', ['node_modules/typescript/bin/tsc', '--project', 'src/client', '--outDir', FOLDER], {
  stdio: 'inherit',
});

// What says the texts stands once, beside the languages, of which a product loads those that it speaks.
await build({
  entryPoints: { speaker: 'dist/src/words/client-words.js' },
  outdir: FOLDER,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
mkdirSync(`${FOLDER}/words`);
for (const tag of await languageTags()) {
  const texts = JSON.stringify(await clientLanguage(tag), null, 2);
  writeFileSync(
    `${FOLDER}/words/${tag}.js`,
    `import { wordsOf } from '../speaker.js';\nexport const words = /* @__PURE__ */ wordsOf(${texts});\n`,
  );
  writeFileSync(
    `${FOLDER}/words/${tag}.d.ts`,
    "import type { Words } from '../words.js';\nexport declare const words: Words;\n",
  );
}

const { version } = read('package.json');
writeFileSync(
  `${FOLDER}/package.json`,
  JSON.stringify({ ...read('src/client/package.json'), version }, null, 2),
);
cpSync('src/client/README.md', `${FOLDER}/README.md`);
cpSync('LICENSE', `${FOLDER}/LICENSE`);

execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist/client', `./${FOLDER}`], {
  stdio: 'ignore',
});
rmSync(FOLDER, { recursive: true });
