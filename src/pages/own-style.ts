import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { staysIn } from '../words/own-words.js';

/** The style sheet of a product, or null. */
export const OWN_STYLE = Symbol('own style');

const NAME = 'pages.css';
const MAX_BYTES = 64 * 1024;
const MAX_FILES = 10;
const MAX_FILE_BYTES = 200_000;

/** Control characters that no text has. */
const CONTROL = /(?![\t\n])\p{Cc}/u;

/** Half a megabyte of pictures must not hold up a start: the best quality takes ten times as long. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The style sheet of a product, which comes after ours, with the fonts and pictures that it names. */
export class OwnStyle {
  private constructor(
    /** The name of the style sheet among the files. */
    readonly name: string,
    /** By their names, which have a hash of the content in them; beside each, with `.br`, its brotli. */
    readonly files: ReadonlyMap<string, Buffer>,
    readonly hasFonts: boolean,
  ) {}

  /**
   * Reads `pages.css` of `SVC_MESSAGES_DIR`. Returns null where there is none.
   *
   * @throws OperatorError when it has a fault; it names all faults.
   */
  static async read({ messagesDir: folder }: Pick<Environment, 'messagesDir'>): Promise<OwnStyle | null> {
    const content = folder === undefined ? null : await contentOf(folder, NAME, MAX_BYTES);
    if (folder === undefined || content === null) return null;
    if (typeof content === 'string') throw faulty([`${NAME} ${content}`]);

    const css = textOf(content);
    if (css === null) throw faulty([`${NAME} is no text in UTF-8: save it as one`]);
    // Loaded only here: who has no style sheet of their own needs nothing to read one.
    const { readStyle } = await import('./style-faults.js');
    const { files: named, faults: inside } = readStyle(css);
    const faults = inside.map((fault) => `${NAME}, ${fault}`);
    const names = [...new Set(named.map(({ name }) => name))];
    if (names.length > MAX_FILES)
      faults.push(`${NAME} names ${names.length} files: ${MAX_FILES} is the most, so leave some out`);
    const files = new Map<string, Buffer>();
    const served = new Map<string, string>();
    for (const name of names.slice(0, MAX_FILES)) {
      const file = (await contentOf(folder, name, MAX_FILE_BYTES)) ?? 'is not there: put it beside pages.css';
      if (typeof file === 'string' || !isWhatItSays(name, file))
        faults.push(`${name} ${typeof file === 'string' ? file : 'is no file of its kind: convert it'}`);
      else served.set(name, await keep(files, file, extname(name)));
    }
    if (faults.length > 0) throw faulty(faults);

    // From the last to the first, so that what stands before stays where it is.
    const sheet = named.reduceRight(
      (text, { name, start, end }) => `${text.slice(0, start)}url("${served.get(name)}")${text.slice(end)}`,
      css,
    );
    const name = await keep(files, Buffer.from(sheet), '.css');
    return new OwnStyle(name, files, names.some(isFont));
  }
}

/** A file of the folder; null where there is none, and what is wrong with it where it cannot be served. */
async function contentOf(folder: string, name: string, most: number): Promise<Buffer | string | null> {
  const path = join(folder, name);
  try {
    const status = await stat(path);
    if (!status.isFile()) return 'is no file';
    if (status.size > most) return `is larger than ${most} bytes: make it smaller`;
    if (!(await staysIn(await realpath(folder), path))) return 'is a link out of SVC_MESSAGES_DIR: copy it';
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** With the ends of lines that browsers make of others (CSS Syntax Level 3, §3.3). Returns null for what is no text. */
function textOf(content: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content).replace(/\r\n?|\f/g, '\n');
    return CONTROL.test(text) ? null : text;
  } catch {
    return null;
  }
}

function isFont(name: string): boolean {
  return extname(name) === '.woff2';
}

/** As their first letters tell: W3C WOFF File Format 2.0, §4. */
function isWhatItSays(name: string, content: Buffer): boolean {
  return isFont(name)
    ? content.subarray(0, 4).toString('latin1') === 'wOF2'
    : /<svg[\s>]/.test(String(content));
}

/** Keeps a file under a name that another content does not have. Fonts are compressed already. */
async function keep(files: Map<string, Buffer>, content: Buffer, ending: string): Promise<string> {
  const name = `own-${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ending}`;
  files.set(name, content);
  if (ending !== '.woff2') files.set(`${name}.br`, await promisify(brotliCompress)(content, QUALITY));
  return name;
}

function faulty(faults: string[]): OperatorError {
  return new OperatorError({
    code: 'STYLE_FAULTY',
    severity: 'error',
    text: faults.map((fault) => `${fault}.`).join('\n'),
    fix: 'npm run cli -- messages check names all faults before a deployment.',
  });
}
