// npm run release -- 1.2.3 [--dry-run]: tests, builds, commits and tags a version. It pushes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const BRANCH = 'main';
const CHANGED = ['package.json', 'package-lock.json', 'README.md'];

/** What has changed since the last release: all between this heading of the README and the next of its level. */
const UNRELEASED = /^### Unreleased\n(?<notes>.*?)(?=^#{1,3} )/ms;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean' } },
});
const [version = ''] = positionals;
const readme = readFileSync('README.md', 'utf8');
const notes = UNRELEASED.exec(readme)?.groups.notes.trim() ?? '';

const faults = findFaults();
if (faults.length > 0) refuse(faults);

console.log(`Release ${version}:\n\n${notes}\n`);
if (values['dry-run']) console.log('A dry run: nothing was tested, nothing is changed.');
else release();

/** Everything that speaks against a release, at once. */
function findFaults() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return ['say which version, such as: npm run release -- 1.2.3'];

  const current = JSON.parse(readFileSync('package.json', 'utf8')).version;
  const faults = [];
  if (!isNewer(version, current)) faults.push(`${version} is not newer than ${current}`);
  if (git('tag', '--list', `v${version}`) !== '') faults.push(`v${version} is tagged already`);
  if (git('branch', '--show-current') !== BRANCH) faults.push(`releases are made on ${BRANCH}`);
  if (git('status', '--porcelain') !== '') faults.push('there are changes that are not committed');
  if (notes === '') faults.push('the README has nothing under Unreleased');
  return faults;
}

function isNewer(one, other) {
  const [parts, others] = [one, other].map((each) => each.split('.').map(Number));
  const index = parts.findIndex((part, position) => part !== others[position]);
  return index >= 0 && parts[index] > others[index];
}

/** Changes nothing before the tests have passed, and takes the change back when something fails after that. */
function release() {
  try {
    run('npm', 'run', 'check');
    run('npm', 'test');
    run('npm', 'version', '--no-git-tag-version', version);
    writeFileSync('README.md', withRelease(readme));
    run('npm', 'run', 'build');
    run('git', 'commit', '--quiet', '--message', `chore(release): ${version}`, ...CHANGED);
  } catch (error) {
    git('checkout', '--', ...CHANGED);
    refuse([error.message]);
  }
  run('git', 'tag', '--annotate', `v${version}`, '--cleanup', 'verbatim', '--message', notes);
  console.log(`Tagged v${version}. Publish it with: git push --follow-tags`);
}

/** What was unreleased goes under the version and today's date. */
function withRelease(text) {
  const today = new Date().toISOString().slice(0, 10);
  return text.replace(UNRELEASED, () => `### Unreleased\n\n### ${version} (${today})\n\n${notes}\n\n`);
}

function git(...words) {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}

function run(program, ...words) {
  execFileSync(program, words, { stdio: 'inherit' });
}

function refuse(faults) {
  console.error(`No release:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  process.exit(1);
}
