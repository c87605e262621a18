import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

// Packs src/client for npm: dist/client/latchkey-client-<version>.tgz, with the version of the service.

const FOLDER = 'dist/client/package';
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

execFileSync('node', ['node_modules/typescript/bin/tsc', '--project', 'src/client', '--outDir', FOLDER], {
  stdio: 'inherit',
});
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
