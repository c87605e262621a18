// npm run test:node -- 24 test/auth: runs the tests with another Node, which npx fetches. The rest goes to Jest.
import { spawnSync } from 'node:child_process';

const JEST = ['node', '--import', './test/setup/runner/typescript.js', 'node_modules/jest/bin/jest.js'];

const [version = '', ...words] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error('Name the version of Node first: npm run test:node -- 24 test/auth');
  process.exit(2);
}
const { status } = spawnSync('npx', ['--yes', '-p', `node@${version}`, '--', ...JEST, ...words], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
