import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { packageFolder } from '../config/version.js';

const WEB = 'src/pages/web';

/** What the pages load, by the name that the shell knows it by. */
const ENTRIES = {
  login: `${WEB}/account/login-pages.tsx`,
  account: `${WEB}/account/account-pages.tsx`,
  admin: `${WEB}/console/main.tsx`,
  recover: `${WEB}/parts/recover.ts`,
  'ui-style': `${WEB}/style/style.css`,
  'admin-style': `${WEB}/style/console.css`,
  mark: `${WEB}/style/mark.svg`,
};

export type Entry = keyof typeof ENTRIES;

/** Entries that share a file, because a visitor goes from one to the other. Any other entry shares none. */
const TOGETHER: Entry[] = ['login', 'account'];

/** The scripts with words of their own. */
const SPEAKING = ['login', 'account', 'admin'] as const satisfies Entry[];

/** The script of some pages. */
export type Script = (typeof SPEAKING)[number];

/** The scripts, style sheets and words of the pages, ready to be served. */
export interface Bundle {
  /** The file of each entry. */
  names: Record<Entry, string>;
  /** The files that the file of each entry imports at once. */
  imports: Record<Entry, string[]>;
  /** The file with the words of each script. */
  words: Record<Script, string>;
  /** The files by their names, which have a hash of the content in them; beside each, with `.br`, its brotli. */
  files: ReadonlyMap<string, Buffer>;
}

/** The name of the lists of entries among the files of a build. */
export const NAMES_FILE = 'names.json';

let bundled: Promise<Bundle> | undefined;

/** Bundles the sources of the pages, once a process: for tests, which run without a build. */
export function bundleOnce(): Promise<Bundle> {
  bundled ??= bundle();
  return bundled;
}

/**
 * Writes the pages into a folder, from which the service then reads them. The list comes last, and at once: a page that is
 * opened meanwhile loads what was there before.
 */
export async function writeBundle(folder: string): Promise<void> {
  const { files, ...lists } = await bundle();
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  const draft = `${folder}.draft`;
  await writeFile(draft, JSON.stringify(lists));
  await rename(draft, join(folder, NAMES_FILE));
}

/** Writes the pages into a folder now, and whenever one of their sources changes, until the process ends. */
export async function watchBundle(folder: string): Promise<void> {
  const [{ context }, { LANGUAGES }] = await Promise.all([import('esbuild'), import('../words/compile.js')]);
  const writer: Plugin = {
    name: 'writer',
    setup({ onEnd, onLoad }) {
      // No script imports the catalogue, but it is watched with what does know of it.
      onLoad({ filter: /page-words\.ts$/ }, async ({ path }) => ({
        contents: await readFile(path),
        loader: 'ts',
        watchFiles: [join(packageFolder(), LANGUAGES, 'en.json')],
      }));
      onEnd(async ({ errors }) => {
        if (errors.length > 0) return {};
        // What has a fault in a text leaves the former pages in place.
        return writeBundle(folder).then(
          () => ({}),
          (error: Error) => ({ errors: [{ text: error.message }] }),
        );
      });
    },
  };
  // All of them at once, only to see what they are made of.
  const watching = await context({ ...OPTIONS, entryPoints: ENTRIES, plugins: [writer] });
  await watching.watch();
}

async function bundle(): Promise<Bundle> {
  // Loaded only here: what serves in production has no esbuild, and no parser of texts.
  const [{ build }, { WordsFiles }] = await Promise.all([import('esbuild'), import('./words-files.js')]);
  const files = new Map<string, Buffer>();
  const keep = async (name: string, content: Uint8Array) => {
    files.set(name, Buffer.from(content));
    files.set(`${name}.br`, await promisify(brotliCompress)(content));
  };
  const entries = Object.keys(ENTRIES) as Entry[];
  const alone = entries.filter((entry) => !TOGETHER.includes(entry)).map((entry) => [entry]);
  const built = await Promise.all(
    [TOGETHER, ...alone].map(async (group) => {
      const entryPoints = Object.fromEntries(group.map((entry) => [entry, ENTRIES[entry]]));
      const { outputFiles, metafile } = await build({ ...OPTIONS, entryPoints });
      for (const { path, contents } of outputFiles) await keep(basename(path), contents);
      return group.map((entry) => ({ entry, ...outputOf(ENTRIES[entry], metafile) }));
    }),
  );
  const outputs = built.flat();

  const catalogue = await WordsFiles.read();
  const words: [Script, string][] = [];
  for (const script of SPEAKING) {
    const { sources } = outputs.find(({ entry }) => entry === script) as (typeof outputs)[number];
    const texts = await Promise.all(sources.map((source) => readFile(source, 'utf8')));
    const { name, content } = catalogue.of(script, texts);
    await keep(name, content);
    words.push([script, name]);
  }
  await keep(catalogue.acts.name, catalogue.acts.content);
  return {
    names: Object.fromEntries(outputs.map(({ entry, name }) => [entry, name])) as Bundle['names'],
    imports: Object.fromEntries(outputs.map(({ entry, imports }) => [entry, imports])) as Bundle['imports'],
    words: Object.fromEntries(words) as Bundle['words'],
    files,
  };
}

const OPTIONS = {
  outdir: 'pages',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  metafile: true,
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The file of an entry, what it imports at once, and the sources of all that it may load. */
function outputOf(
  source: string,
  { outputs }: Metafile,
): { name: string; imports: string[]; sources: string[] } {
  const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (path === undefined) throw new Error(`${source} was not built`);

  const atOnce = importedBy(path, outputs, ['import-statement']);
  const ever = importedBy(path, outputs, ['import-statement', 'dynamic-import']);
  const [name, ...imports] = atOnce.map((file) => basename(file));
  return {
    name: name as string,
    imports,
    sources: ever.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})),
  };
}

/** A file, and those that it imports in some ways, and that they import. */
function importedBy(path: string, outputs: Metafile['outputs'], kinds: string[]): string[] {
  const loaded = new Set([path]);
  // A set that grows while it is gone through, until no file imports another one.
  for (const file of loaded)
    for (const { kind, path: imported } of outputs[file]?.imports ?? [])
      if (kinds.includes(kind)) loaded.add(imported);
  return [...loaded];
}
