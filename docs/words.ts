// npm run words: writes what TypeScript knows of the catalogue, and names every fault in the texts of all languages.
// npm run words -- --check: writes nothing, and fails when that is stale.
// npm run words -- new <tag>: begins a language, which says English until it is translated.
// npm run words -- sync: brings the keys of all languages up to those of English.
// npm run words -- translated <tag> <file>: puts texts of a translator, `{ "<key>": "<text>" }`, into a language.
// npm run words -- report [tag]: says what is not translated, or was translated from an older English text.
// npm run words -- review <tag>: prints the texts that a reviewer reads; sign <tag> <name>: signs them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Catalogue, compileLanguage } from '../src/words/compile.js';
import { tagFaults } from '../src/words/file-faults.js';
import {
  LANGUAGES,
  languageTags,
  readLanguageFile,
  SOURCE,
  type SourceFile,
  type TranslationFile,
  type Volume,
} from '../src/words/language-file.js';
import { newTranslation, openIn, reviewOf, signed, synced, translated, unreadable } from './translations.js';

const VOLUMES: Volume[] = ['service', 'pages', 'problems', 'acts'];

const COMMANDS: Record<string, (...given: string[]) => Promise<string[]>> = {
  new: begin,
  sync,
  translated: take,
  report,
  review,
  sign,
};

const [command = '--write', ...given] = process.argv.slice(2);
const run = COMMANDS[command] ?? (() => catalogue(command === '--check'));
const faults = await run(...given);
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

async function begin(tag = ''): Promise<string[]> {
  const refused = tagFaults(tag).map((fault) => `${tag}: ${fault}`);
  if (refused.length > 0) return refused;
  if (existsSync(pathOf(tag))) return [`${pathOf(tag)} is there already`];
  write(newTranslation(tag, await english()));
  return faultsOf(tag);
}

async function sync(): Promise<string[]> {
  const source = await english();
  const faults: string[] = [];
  for (const tag of await translations()) {
    const { file, english, gone } = synced(await translation(tag), source);
    write(file);
    for (const key of english) console.log(`${tag}.json, ${key}: has the English text now`);
    for (const key of gone) console.log(`${tag}.json, ${key}: is gone`);
    faults.push(...(await faultsOf(tag)));
  }
  return faults;
}

async function take(tag = '', from = ''): Promise<string[]> {
  const file = await translation(tag);
  const given = JSON.parse(readFileSync(from, 'utf8'));
  const result = translated(file, await english(), given);
  write(result.file);
  console.log(summary(result.file, await english()));
  return [...new Set([...result.faults.map((fault) => `${fault} (kept out)`), ...(await faultsOf(tag))])];
}

async function report(only?: string): Promise<string[]> {
  const source = await english();
  for (const tag of only === undefined ? await translations() : [only]) {
    const file = await translation(tag);
    const { untranslated, stale } = openIn(file, source);
    console.log(summary(file, source));
    for (const key of untranslated) console.log(`  untranslated: ${key}`);
    for (const key of stale) console.log(`  stale: ${key}`);
  }
  return [];
}

function summary(file: TranslationFile, source: SourceFile): string {
  const { untranslated, stale } = openIn(file, source);
  return `${file.language}: ${file.state}, ${untranslated.length} untranslated, ${stale.length} stale`;
}

async function review(tag = ''): Promise<string[]> {
  console.log(reviewOf(await translation(tag), await english()));
  return [];
}

async function sign(tag = '', name = ''): Promise<string[]> {
  if (name.trim() === '') return ['say who has read it: npm run words -- sign nl "Ada Lovelace"'];
  const [file, source] = [await translation(tag), await english()];
  const open = unreadable(file, source);
  if (open.length > 0) return open.map((key) => `${tag}.json, ${key}: translate it before a person signs it`);
  write(signed(file, source, name, new Date()));
  return faultsOf(tag);
}

async function catalogue(isCheck: boolean): Promise<string[]> {
  const [service, pages, problems] = await Promise.all([
    compileLanguage(SOURCE, 'service'),
    compileLanguage(SOURCE, 'pages'),
    compileLanguage(SOURCE, 'problems'),
  ]);
  const stale: string[] = [];
  const keep = (file: string, content: string) => {
    const source = `// Written by npm run words from languages/en.json.\n${content}`;
    if (!isCheck) writeFileSync(file, source);
    else if (readFileSync(file, 'utf8') !== source) stale.push(`${file} is stale; run npm run words`);
  };
  keep('src/words/words.ts', serviceWords(service));
  keep('src/words/page-words.ts', pageWords(pages, problems));
  const faults = await Promise.all((await languageTags()).map(faultsOf));
  return [...faults.flat(), ...stale];
}

function serviceWords(service: Catalogue): string {
  return `import type { Person } from './plain-name.js';

/** The texts of mails and documents, by their places in the file that the service reads. */
${enumOf(service)}

/** What each text takes, in the same order. */
export type Given = [
${givenOf(service)}
];
`;
}

function pageWords(pages: Catalogue, problems: Catalogue): string {
  return `
/** What a person typed: pages isolate it, and markup is none of it. */
type Person = string;

/** The texts of the pages, by their places in the file that a page loads. */
${enumOf(pages)}

/** What each text takes, in the same order. A slot stands around a part of the text, and a piece in a place of its own. */
export type Given<Slot, Piece> = [
${givenOf(pages)}
];

/** The problems that the pages can say, by their codes. */
export type KnownProblem =
${problems.keys.map((key) => `  | '${key.replace('problem.', '')}'`).join('\n')};
`;
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

async function faultsOf(tag: string): Promise<string[]> {
  const volumes = await Promise.all(VOLUMES.map((volume) => compileLanguage(tag, volume)));
  return volumes.flatMap((each) => each.faults);
}

function english(): Promise<SourceFile> {
  return readLanguageFile<SourceFile>(SOURCE);
}

function translation(tag: string): Promise<TranslationFile> {
  return readLanguageFile<TranslationFile>(tag);
}

async function translations(): Promise<string[]> {
  return (await languageTags()).filter((tag) => tag !== SOURCE);
}

function pathOf(tag: string): string {
  return `${LANGUAGES}/${tag}.json`;
}

function write(file: TranslationFile): void {
  writeFileSync(pathOf(file.language), `${JSON.stringify(file, null, 2)}\n`);
}
