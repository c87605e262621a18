import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { packageFolder } from '../config/version.js';
import { LANGUAGES, languageTags, SOURCE } from '../words/language-file.js';

const WEB = 'src/pages/web';

/** What the pages load, by the name that the shell knows it by. */
const ENTRIES = {
  login: `${WEB}/account/login-pages.tsx`,
  code: `${WEB}/account/login-code-pages.tsx`,
  account: `${WEB}/account/account-pages.tsx`,
  security: `${WEB}/account/security-pages.tsx`,
  billing: `${WEB}/account/billing-pages.tsx`,
  admin: `${WEB}/console/admin-screens.tsx`,
  activity: `${WEB}/console/activity-screens.tsx`,
  system: `${WEB}/console/system-screens.tsx`,
  users: `${WEB}/console/user-screens.tsx`,
  recover: `${WEB}/parts/recover.ts`,
  'ui-style': `${WEB}/style/style.css`,
  'admin-style': `${WEB}/style/console.css`,
  mark: `${WEB}/style/mark.svg`,
};

export type Entry = keyof typeof ENTRIES;

/** Entries that share files, because a visitor goes from one to the other. Any other entry shares none. */
const TOGETHER: Entry[][] = [
  ['login', 'account', 'security', 'billing'],
  ['admin', 'activity', 'system', 'users'],
];

/** What few visitors see, which its page loads once it is wanted, with the words of all of them. */
const LATE = [
  `${WEB}/parts/acting-banner.tsx`,
  `${WEB}/parts/mailed-proof.tsx`,
  `${WEB}/console/act-for.tsx`,
];

/** The scripts with words of their own. */
const SPEAKING = [
  'login',
  'code',
  'account',
  'security',
  'billing',
  'admin',
  'activity',
  'system',
  'users',
] as const satisfies Entry[];

/** The script of some pages. */
export type Script = (typeof SPEAKING)[number];

/** The scripts, style sheets and words of the pages, ready to be served. */
export interface Bundle {
  /** The file of each entry. */
  names: Record<Entry, string>;
  /** The files that the file of each entry imports at once. */
  imports: Record<Entry, string[]>;
  /** The file with the words of each script, by the tag of their language. */
  words: Record<string, Record<Script, string>>;
  /** The files by their names, which have a hash of the content in them; beside each, with `.br`, its brotli. */
  files: ReadonlyMap<string, Buffer>;
}

/** The name of the lists of entries among the files of a build. */
export const NAMES_FILE = 'names.json';

const bundled = new Map<string, Promise<Bundle>>();

/** Bundles the sources of the pages with some languages, once a process: for tests, which run without a build. */
export function bundleOnce(tags: readonly string[] = [SOURCE]): Promise<Bundle> {
  const key = tags.join();
  // Compressed in haste: each process of the tests does it anew.
  const once = bundled.get(key) ?? bundle(tags, 4);
  bundled.set(key, once);
  return once;
}

/**
 * Writes the pages into a folder, from which the service then reads them. The list comes last, and at once: a page that is
 * opened meanwhile loads what was there before.
 */
export async function writeBundle(folder: string): Promise<void> {
  const { everyTag } = await import('./words-files.js');
  const { files, ...lists } = await bundle(await everyTag());
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  const draft = `${folder}.draft`;
  await writeFile(draft, JSON.stringify(lists));
  await rename(draft, join(folder, NAMES_FILE));
}

/** Writes the pages into a folder now, and whenever one of their sources changes, until the process ends. */
export async function watchBundle(folder: string): Promise<void> {
  const { context } = await import('esbuild');
  const tags = await languageTags();
  const writer: Plugin = {
    name: 'writer',
    setup({ onEnd, onLoad }) {
      // No script imports the catalogue, but it is watched with what does know of it.
      onLoad({ filter: /page-words\.ts$/ }, async ({ path }) => ({
        contents: await readFile(path),
        loader: 'ts',
        watchFiles: tags.map((tag) => join(packageFolder(), LANGUAGES, `${tag}.json`)),
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

async function bundle(tags: readonly string[], quality = constants.BROTLI_MAX_QUALITY): Promise<Bundle> {
  // Loaded only here: what serves in production has no esbuild, and no parser of texts.
  const [{ build }, { WordsFiles }] = await Promise.all([import('esbuild'), import('./words-files.js')]);
  const files = new Map<string, Buffer>();
  const keep = async (name: string, content: Uint8Array) => {
    files.set(name, Buffer.from(content));
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
    files.set(`${name}.br`, await promisify(brotliCompress)(content, { params }));
  };
  const entries = Object.keys(ENTRIES) as Entry[];
  const alone = entries.filter((entry) => !TOGETHER.flat().includes(entry)).map((entry) => [entry]);
  const built = await Promise.all(
    [...TOGETHER, ...alone].map(async (group) => {
      const entryPoints = Object.fromEntries(group.map((entry) => [entry, ENTRIES[entry]]));
      const { outputFiles, metafile } = await build({ ...OPTIONS, entryPoints, plugins: [whole(group)] });
      for (const { path, contents } of outputFiles) await keep(basename(path), contents);
      return group.map((entry) => ({ entry, ...outputOf(ENTRIES[entry], metafile) }));
    }),
  );
  const outputs = built.flat();

  const sources: [Script, string[]][] = [];
  for (const script of SPEAKING) {
    const output = outputs.find(({ entry }) => entry === script) as (typeof outputs)[number];
    sources.push([script, await textsOf(output.sources.filter((source) => !LATE.includes(source)))]);
  }
  const lateSources = await textsOf(LATE);
  const words: Bundle['words'] = {};
  for (const tag of tags) {
    const catalogue = await WordsFiles.read(tag, lateSources);
    const spoken = sources.map(([script, texts]) => [script, catalogue.of(script, texts)] as const);
    for (const { name, content } of [...spoken.map(([, file]) => file), ...Object.values(catalogue.late)])
      await keep(name, content);
    words[tag] = Object.fromEntries(spoken.map(([script, { name }]) => [script, name])) as Record<
      Script,
      string
    >;
  }
  return {
    names: Object.fromEntries(outputs.map(({ entry, name }) => [entry, name])) as Bundle['names'],
    imports: Object.fromEntries(outputs.map(({ entry, imports }) => [entry, imports])) as Bundle['imports'],
    words,
    files,
  };
}

function textsOf(sources: string[]): Promise<string[]> {
  return Promise.all(sources.map((source) => readFile(source, 'utf8')));
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

/** What loads late, by the end of its path, for which entry, and what is there by then. */
const LATER: [path: RegExp, entry: Entry, before: string[]][] = [
  [/mail-preview\.tsx$/, 'system', ['./system-screens.js']],
  [/act-for\.tsx$/, 'users', ['./user-screens.js']],
  [
    /(acting-banner|mailed-proof)\.tsx$/,
    'account',
    ['./show-page.js', './time.js', './rows.js', './words.js', '../account/account-page.js'],
  ],
  [
    /(acting-banner|mailed-proof)\.tsx$/,
    'users',
    [
      './show-page.js',
      './time.js',
      '../console/frame.js',
      '../console/list.js',
      '../console/filters.js',
      '../console/selection.js',
      '../console/names.js',
    ],
  ],
];

/**
 * What loads late counts as loading all that is there by then. Otherwise esbuild would put what only some of them share into files
 * of its own, and each page would weigh more.
 */
const whole = (entries: Entry[]): Plugin => ({
  name: 'whole',
  setup({ onLoad }) {
    for (const [filter, , before] of LATER.filter(([, entry]) => entries.includes(entry)))
      onLoad({ filter }, async ({ path }) => ({
        contents: [...before.map((each) => `import '${each}';`), await readFile(path, 'utf8')].join('\n'),
        loader: 'tsx',
      }));
  },
});

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
