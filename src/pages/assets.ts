import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { packageFolder } from '../config/version.js';
import { type Bundle, type Entry, NAMES_FILE, type Script } from './bundle.js';
import { themeCss } from './theme.js';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

/** The name of a page's script in any build. */
const PAGE_SCRIPT = /^(login|account|admin|recover)-[A-Z0-9]{8}\.js$/;

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

  constructor(private readonly environment: Environment) {
    const css = themeCss(environment.productColor);
    this.theme = css === null ? null : { name: themeName(css), content: Buffer.from(css) };
  }

  async onModuleInit(): Promise<void> {
    if (this.environment.environment !== 'dev') this.kept = await readBundle();
  }

  /** The file names that a page loads, by what they are. */
  async names(): Promise<Record<Entry, string> & { theme: string | null }> {
    const { names } = await this.bundle();
    return { ...names, theme: this.theme?.name ?? null };
  }

  /** The name of the file with the words of a script. */
  async wordsOf(script: Script): Promise<string> {
    return (await this.bundle()).words[script];
  }

  /** The names of the files that a script imports. */
  async importsOf(script: Entry): Promise<string[]> {
    return (await this.bundle()).imports[script];
  }

  /**
   * Returns null for a name that no page of this build loads. Only for the script of a page of another build, whose replicas
   * serve beside this one during an upgrade, there is one that loads the page again: without it the page would stay blank.
   */
  async find(name: string): Promise<Asset | null> {
    const type = TYPES[extname(name)];
    if (type === undefined) return null;
    if (name === this.theme?.name)
      return { type, isForGood: true, content: this.theme.content, brotli: null };
    const { names, files } = await this.bundle();
    const isKnown = files.has(name);
    const served = !isKnown && PAGE_SCRIPT.test(name) ? names.recover : name;
    const content = files.get(served);
    return content ? { type, isForGood: isKnown, content, brotli: files.get(`${served}.br`) ?? null } : null;
  }

  private async bundle(): Promise<Bundle> {
    return this.kept ?? (await readBundle());
  }
}

function themeName(css: string): string {
  return `theme-${createHash('sha256').update(css).digest('hex').slice(0, 8)}.css`;
}

async function readBundle(): Promise<Bundle> {
  if (!IS_BUILT) return (await import('./bundle.js')).bundleOnce();

  const folder = join(packageFolder(), 'dist/pages');
  const names = await readdir(folder);
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const files = new Map(names.map((name, index) => [name, contents[index] as Buffer]));
  const lists = JSON.parse(String(files.get(NAMES_FILE)));
  files.delete(NAMES_FILE);
  return { ...lists, files };
}
