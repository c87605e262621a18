import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { packageFolder } from '../config/version.js';
import type { CompiledLanguage, Part, Text } from './say.js';

/** Where the languages stand, a file each. English is the source of the others. */
export const LANGUAGES = 'src/words/languages';

/** A text this long is a document, and belongs elsewhere. */
const MAX_BYTES = 2_048;

/** How deep cases may stand in cases: more than two nobody reads or translates. */
const MAX_DEPTH = 2;

/** A subject beyond this is cut in a list of mails. */
const MAX_SUBJECT = 60;

/**
 * What a value is: the same in every text, written by us, typed by a person, a number, an instant, a piece of a page, or one of
 * a few names.
 */
type Kind = 'constant' | 'ours' | 'person' | 'count' | 'moment' | 'piece' | string[];

/**
 * Texts that are compiled into a file of their own: those that the service says in mails and documents, those that its pages
 * say, and the acts of the audit log, which a page loads late.
 */
export type Volume = 'service' | 'pages' | 'acts';

/** A text of a language's file, perhaps with what its translators need to know. */
type Entry = string | { text: string; note?: string; max?: number };

interface LanguageFile {
  language: string;
  direction: 'ltr' | 'rtl';
  values?: Record<string, Kind>;
  words: Record<string, Entry>;
}

/** What stands in the file of English, and what of it is wrong. */
export interface Catalogue {
  language: CompiledLanguage;
  /** The keys, in the order of the file. A word is known by its place here. */
  keys: string[];
  /** The values that each text takes, by name, as TypeScript writes their types. */
  given: Record<string, string>[];
  /** A sentence each, with the key. */
  faults: string[];
}

/** Reads the file of a language, and compiles the texts of a volume to what `say` takes. */
export async function compileLanguage(tag: string, volume: Volume): Promise<Catalogue> {
  const file: LanguageFile = JSON.parse(
    await readFile(join(packageFolder(), LANGUAGES, `${tag}.json`), 'utf8'),
  );
  const words = Object.entries(file.words).filter(([key]) => volumeOf(key) === volume);
  return compile({ ...file, words: Object.fromEntries(words) });
}

function volumeOf(key: string): Volume {
  if (/^(mail|shell)\./.test(key)) return 'service';
  return key.startsWith('act.') ? 'acts' : 'pages';
}

/**
 * Compiles the texts of a volume that have no fault.
 *
 * @throws Error when a text has a fault.
 */
export async function soundLanguage(tag: string, volume: Volume): Promise<Catalogue> {
  const catalogue = await compileLanguage(tag, volume);
  if (catalogue.faults.length > 0) throw new Error(catalogue.faults.join('\n'));
  return catalogue;
}

/**
 * Writes what the service says into a folder, from which it then reads it.
 *
 * @throws Error when a text has a fault.
 */
export async function writeWords(folder: string): Promise<void> {
  const { language } = await soundLanguage('en', 'service');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${language.tag}.json`), JSON.stringify(language));
}

/** Compiles the texts of a language, and finds every fault in them. */
export function compile({ language, direction, values = {}, words }: LanguageFile): Catalogue {
  const faults: string[] = [];
  const given: Record<string, string>[] = [];
  const texts = Object.entries(words).map(([key, entry]) => {
    const { text, note, max } =
      typeof entry === 'string' ? { text: entry, ...({} as { note?: string; max?: number }) } : entry;
    const report = (fault: string) => faults.push(`${language}.json, ${key}: ${fault}`);
    if (text.includes("'"))
      report('write ’ in place of a straight apostrophe, which begins a quotation in ICU');
    if (Buffer.byteLength(text) > MAX_BYTES) report(`it is longer than ${MAX_BYTES} bytes`);
    if (text.trim() !== text || text.includes('\n'))
      report('it begins or ends with a blank, or has a line break');
    if (text.split(' ').length < 3 && note === undefined && !key.startsWith('mail.'))
      report('a text of one or two words needs a note that says where it stands');
    const limit = key.endsWith('.subject') ? MAX_SUBJECT : (max ?? Number.POSITIVE_INFINITY);
    if ([...text].length > limit) report(`it is longer than ${limit} columns`);

    const compiler = new TextCompiler(values, language, report);
    const compiled = compiler.compile(text);
    if (volumeOf(key) === 'service' && compiler.slots.size > 0)
      report('only texts of pages have slots: mails have no markup in their texts');
    if (key.endsWith('.subject') && [...compiler.names].some((name) => values[name] === 'person'))
      report('a subject has nothing that a person typed: readers take a subject for ours');
    const ofItsOwn = [...compiler.names].filter((name) => values[name] !== 'constant').sort();
    const types = [
      ...ofItsOwn.map((name) => [name, typeOf(values[name])]),
      ...[...compiler.slots].sort().map((name) => [name, 'Slot']),
    ];
    given.push(Object.fromEntries(types));
    return compiled;
  });
  return { language: { tag: language, direction, texts }, keys: Object.keys(words), given, faults };
}

/** Compiles one text. */
class TextCompiler {
  /** The values that it takes. */
  readonly names = new Set<string>();
  /** The slots that it has. */
  readonly slots = new Set<string>();

  constructor(
    private readonly values: Record<string, Kind>,
    private readonly language: string,
    private readonly report: (fault: string) => void,
  ) {}

  compile(text: string): Text {
    try {
      return simplified(this.parts(parse(text, { shouldParseSkeletons: false }), 0, null));
    } catch (error) {
      this.report(`it is no ICU text: ${(error as Error).message}`);
      return text;
    }
  }

  private parts(elements: MessageFormatElement[], depth: number, counted: string | null): Part[] {
    if (depth > MAX_DEPTH) this.report(`cases stand more than ${MAX_DEPTH} deep in one another`);
    return elements.map((element) => this.part(element, depth, counted));
  }

  private part(element: MessageFormatElement, depth: number, counted: string | null): Part {
    switch (element.type) {
      case TYPE.literal:
        return element.value;
      case TYPE.argument:
        this.expect(element.value, ['constant', 'ours', 'person', 'piece']);
        return [element.value];
      case TYPE.number:
        this.expect(element.value, ['count']);
        if (element.style) this.report('a number has no style');
        return [element.value, 'number'];
      case TYPE.pound:
        return [counted ?? '', 'number'];
      case TYPE.date:
        this.expect(element.value, ['moment']);
        if (element.style !== 'moment') this.report(`{${element.value}, date} has the style moment`);
        return [element.value, 'moment'];
      case TYPE.plural: {
        this.expect(element.value, ['count']);
        if (element.offset !== 0 || element.pluralType !== 'cardinal')
          this.report('a plural has no offset, and no order');
        const cases = Object.keys(element.options);
        const rules = new Intl.PluralRules(this.language).resolvedOptions().pluralCategories;
        const missing = rules.filter((rule) => !cases.includes(rule));
        const surplus = cases.filter(
          (name) => !name.startsWith('=') && !rules.includes(name as Intl.LDMLPluralRule),
        );
        if (missing.length > 0) this.report(`the plural of {${element.value}} lacks ${missing.join(', ')}`);
        if (surplus.length > 0)
          this.report(
            `the plural of {${element.value}} has ${surplus.join(', ')}, which the language has not`,
          );
        return [element.value, 'plural', this.cases(element.options, depth, element.value)];
      }
      case TYPE.select: {
        const names = this.values[element.value];
        this.names.add(element.value);
        const cases = Object.keys(element.options);
        // The last name is `other`, which ICU wants.
        if (!Array.isArray(names) || [...names.slice(0, -1), 'other'].join() !== cases.join())
          this.report(
            `{${element.value}, select} has the cases ${cases.join(', ')}, which are not its names`,
          );
        return [element.value, 'select', this.cases(element.options, depth, counted)];
      }
      case TYPE.tag: {
        this.slots.add(element.value);
        const inner = this.parts(element.children, depth, counted);
        if (inner.length === 0) this.report(`the slot <${element.value}> is empty`);
        return [element.value, 'slot', simplified(inner)];
      }
      default:
        this.report('it has a part that texts do not have');
        return '';
    }
  }

  private cases(
    options: Record<string, { value: MessageFormatElement[] }>,
    depth: number,
    counted: string | null,
  ): Record<string, Text> {
    return Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [
        name,
        simplified(this.parts(value, depth + 1, counted)),
      ]),
    );
  }

  private expect(name: string, kinds: Kind[]): void {
    this.names.add(name);
    const kind = this.values[name];
    if (kind === undefined) this.report(`{${name}} has no kind among the values of the file`);
    else if (!kinds.includes(kind))
      this.report(`{${name}} is of the kind ${kind}, and is used as ${kinds.join(' or ')}`);
  }
}

/** A text without values is its string. */
function simplified(parts: Part[]): Text {
  const [first = ''] = parts;
  return parts.length <= 1 && typeof first === 'string' ? first : parts;
}

function typeOf(kind: Kind | undefined): string {
  if (Array.isArray(kind)) return kind.map((name) => `'${name}'`).join(' | ');
  if (kind === 'person') return 'Person';
  if (kind === 'count') return 'number';
  if (kind === 'piece') return 'Piece';
  return kind === 'moment' ? 'Date' : 'string';
}
