// npm run docs: writes the reference tables into the documents, and checks what the documents refer to.
// npm run docs -- --check: writes nothing, and fails when a table is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { findFaults } from './faults.js';
import { REFERENCE } from './reference.js';

const SECTION = /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g;

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
const used = new Set<string>();
const files = [...readdirSync('.'), ...readdirSync('docs').map((file) => `docs/${file}`)];
const documents = new Map(files.filter((file) => file.endsWith('.md')).map((file) => [file, fill(file)]));

const faults = [
  ...stale.map((file) => `${file}: a generated table is stale; run npm run docs`),
  ...Object.keys(REFERENCE)
    .filter((name) => !used.has(name))
    .map((name) => `no document has the table ${name}`),
  ...findFaults(documents),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

/** A document with its tables as they should be. */
function fill(file: string): string {
  const text = readFileSync(file, 'utf8');
  const filled = text.replace(SECTION, (_, start: string, name: string, end: string) => {
    used.add(name);
    return `${start}\n${REFERENCE[name] ?? ''}\n\n${end}`;
  });

  if (filled !== text && isCheck) stale.push(file);
  if (filled !== text && !isCheck) writeFileSync(file, filled);
  return filled;
}
