// npm run words: writes what TypeScript knows of the catalogue, and names every fault in the texts.
// npm run words -- --check: writes nothing, and fails when that is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Catalogue, compileLanguage } from '../src/words/compile.js';

const [service, pages, acts] = await Promise.all([
  compileLanguage('en', 'service'),
  compileLanguage('en', 'pages'),
  compileLanguage('en', 'acts'),
]);
const faults = [service, pages, acts].flatMap((each) => each.faults);

keep(
  'src/words/words.ts',
  `import type { Person } from './plain-name.js';

/** The texts of mails and documents, by their places in the file that the service reads. */
${enumOf(service)}

/** What each text takes, in the same order. */
export type Given = [
${givenOf(service)}
];
`,
);

keep(
  'src/words/page-words.ts',
  `
/** What a person typed: pages isolate it, and markup is none of it. */
type Person = string;

/** The texts of the pages, by their places in the file that a page loads. */
${enumOf(pages)}

/** What each text takes, in the same order. A slot stands around a part of the text, and a piece in a place of its own. */
export type Given<Slot, Piece> = [
${givenOf(pages)}
];
`,
);

for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

function keep(file: string, content: string): void {
  const source = `// Written by npm run words from languages/en.json.\n${content}`;
  if (!process.argv.includes('--check')) writeFileSync(file, source);
  else if (readFileSync(file, 'utf8') !== source) faults.push(`${file} is stale; run npm run words`);
}

function enumOf({ keys }: Catalogue): string {
  return `export enum Word {\n${keys.map((key) => `  '${key}',`).join('\n')}\n}`;
}

function givenOf({ given }: Catalogue): string {
  return given
    .map((values) => {
      const fields = Object.entries(values).map(([name, type]) => `${name}: ${type}`);
      return `  ${fields.length === 0 ? 'never' : `{ ${fields.join('; ')} }`},`;
    })
    .join('\n');
}
