// npm run docs: writes the reference tables into the documents, and the settings into .env.example below its head. It
// also checks what the documents refer to.
// npm run docs -- --check: writes nothing, and fails when one of them is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { findFaults } from './faults.js';
import { example, REFERENCE } from './reference.js';

const SECTION = /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g;

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
const used = new Set<string>();
const files = [...readdirSync('.'), ...readdirSync('docs').map((file) => `docs/${file}`)];
const documents = new Map(files.filter((file) => file.endsWith('.md')).map((file) => [file, fill(file)]));

update('.env.example', (text) => `${text.split('\n\n')[0]}\n\n${example}\n`);

const faults = [
  ...stale.map((file) => `${file} is stale; run npm run docs`),
  ...Object.keys(REFERENCE)
    .filter((name) => !used.has(name))
    .map((name) => `no document has the table ${name}`),
  ...findFaults(documents),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

/** A document with its tables as they should be. */
function fill(file: string): string {
  return update(file, (text) =>
    text.replace(SECTION, (_, start: string, name: string, end: string) => {
      used.add(name);
      return `${start}\n${REFERENCE[name] ?? ''}\n\n${end}`;
    }),
  );
}

/** Brings a file up to date, and returns its text; a check only notes that the file is stale. */
function update(file: string, renew: (text: string) => string): string {
  const text = readFileSync(file, 'utf8');
  const renewed = renew(text);
  if (renewed !== text && isCheck) stale.push(file);
  if (renewed !== text && !isCheck) writeFileSync(file, renewed);
  return renewed;
}
