import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { packageFolder } from '../config/version.js';
import type { Language } from '../words/language.js';
import { Languages } from '../words/languages.js';
import { OwnWords } from '../words/own-words.js';
import { type Bundle, type Entry, NAMES_FILE, type Script } from './bundle.js';
import { withOwnWords } from './own-page-words.js';
import { OWN_STYLE, type OwnStyle } from './own-style.js';
import { themeCss } from './theme.js';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/** The name of a file of words in any build. Its beginning says which words, in which language. */
const WORDS = /^(\w+-words-([\w-]+)-[\da-f]{8}-)[\da-f]{8}\.json/;

/** The name of a product's style sheet, of any content. */
const OWN_STYLE_SHEET = /^own-[\da-f]{8}\.css$/;

/** The name of a page's script in any build. */
const PAGE_SCRIPT =
  /^(login|code|account|security|billing|admin|activity|system|users|recover)-[A-Z0-9]{8}\.js$/;

/** The tests run from the sources, beside which there is no build, or one of other sources. */
const IS_BUILT = import.meta.filename.endsWith('.js');

/** A file that pages load. */
export interface Asset {
  type: string;
  /** Whether it holds for its name for good, as another content has another name. */
  isForGood: boolean;
  content: Buffer;
  /** Null where it is too small to be worth it. */
  brotli: Buffer | null;
}

/** What the pages load, in memory. In `dev` it is read anew at each request, because a build may have replaced it. */
@Injectable()
export class Assets implements OnModuleInit {
  /** The style sheet of the product's colour; none for the colour that the pages are made with. */
  private readonly theme: { name: string; content: Buffer } | null;
  private kept: Bundle | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly languages: Languages,
    private readonly own: OwnWords,
    @Inject(OWN_STYLE) private readonly style: OwnStyle | null,
  ) {
    const css = themeCss(environment.productColor);
    this.theme = css === null ? null : { name: themeName(css), content: Buffer.from(css) };
  }

  async onModuleInit(): Promise<void> {
    if (this.environment.environment !== 'dev') this.kept = await this.read();
  }

  /** The file names that a page loads, by what they are. */
  async names(): Promise<Record<Entry, string> & { theme: string | null; own: string | null }> {
    const { names } = await this.bundle();
    return { ...names, theme: this.theme?.name ?? null, own: this.style?.name ?? null };
  }

  /** The name of the file with the words of a script in a language. */
  async wordsOf(script: Script, { tag }: Language): Promise<string> {
    const { words } = await this.bundle();
    return (words[tag] as Record<Script, string>)[script];
  }

  /** The names of the files that a script imports. */
  async importsOf(script: Entry): Promise<string[]> {
    return (await this.bundle()).imports[script];
  }

  /**
   * Returns null for a name that no page of this build loads. Pages of another build, whose replicas serve beside this one during an
   * upgrade, get three things: in place of their script one that loads the page again, as without it the page would stay blank; our
   * words in place of theirs, where these are the same texts with the same values; and our style sheet of the product.
   */
  async find(name: string): Promise<Asset | null> {
    const type = TYPES[extname(name)];
    if (type === undefined) return null;
    if (name === this.theme?.name)
      return { type, isForGood: true, content: this.theme.content, brotli: null };
    const bundle = await this.bundle();
    const served = bundle.files.has(name) ? name : inPlaceOf(name, bundle, this.style);
    const content = bundle.files.get(served);
    const brotli = bundle.files.get(`${served}.br`) ?? null;
    return content ? { type, isForGood: served === name, content, brotli } : null;
  }

  private async bundle(): Promise<Bundle> {
    return this.kept ?? (await this.read());
  }

  /** Without the words of languages that are not served. */
  private async read(): Promise<Bundle> {
    const tags = this.languages.tags.map((tag) => this.own.foundationOf(tag));
    const bundle = await withOwnWords(await readBundle(tags), this.own, this.languages.tags);
    const files = [...bundle.files].filter(([name]) => isFor(this.languages.tags, name));
    return { ...bundle, files: new Map([...files, ...(this.style?.files ?? [])]) };
  }
}

/** Whether pages in some languages load a file: the words of others are most of the files of a build. */
function isFor(tags: readonly string[], name: string): boolean {
  const [, , tag] = WORDS.exec(name) ?? [];
  return tag === undefined || tags.includes(tag);
}

/** What pages of another build get in place of a file; its own name where there is nothing. */
function inPlaceOf(name: string, { names, files }: Bundle, style: OwnStyle | null): string {
  if (OWN_STYLE_SHEET.test(name)) return style?.name ?? name;
  if (PAGE_SCRIPT.test(name)) return names.recover;
  const [, beginning] = WORDS.exec(name) ?? [];
  if (beginning === undefined) return name;
  return [...files.keys()].find((known) => known.startsWith(beginning)) ?? name;
}

function themeName(css: string): string {
  return `theme-${createHash('sha256').update(css).digest('hex').slice(0, 8)}.css`;
}

/** A build has all languages; the tests make those that they serve. */
async function readBundle(tags: string[]): Promise<Bundle> {
  if (!IS_BUILT) return (await import('./bundle.js')).bundleOnce(tags);

  const folder = join(packageFolder(), 'dist/pages');
  const names = (await readdir(folder)).filter((name) => isFor(tags, name));
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const files = new Map(names.map((name, index) => [name, contents[index] as Buffer]));
  const lists = JSON.parse(String(files.get(NAMES_FILE)));
  files.delete(NAMES_FILE);
  return { ...lists, files };
}
