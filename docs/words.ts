// npm run words: writes what TypeScript knows of the catalogue, and names every fault in the texts.
// npm run words -- --check: writes nothing, and fails when that is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { compileLanguage } from '../src/words/compile.js';

const FILE = 'src/words/words.ts';

const { keys, given, faults } = await compileLanguage('en');
const source = `// Written by npm run words from languages/en.json.
import type { Person } from './plain-name.js';

/** The texts that people read, by their places in the catalogue. */
export enum Word {
${keys.map((key) => `  '${key}',`).join('\n')}
}

/** What each text takes, in the same order. */
export type Given = [
${given.map((values) => `  ${typeOf(values)},`).join('\n')}
];
`;

if (!process.argv.includes('--check')) writeFileSync(FILE, source);
else if (readFileSync(FILE, 'utf8') !== source) faults.push(`${FILE} is stale; run npm run words`);
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

function typeOf(values: Record<string, string>): string {
  const fields = Object.entries(values).map(([name, type]) => `${name}: ${type}`);
  return fields.length === 0 ? 'never' : `{ ${fields.join('; ')} }`;
}
