import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';

const WEB = 'src/pages/web';

/** What the pages load, by the name that the shell knows it by. */
const ENTRIES = {
  ui: `${WEB}/account/main.tsx`,
  admin: `${WEB}/console/main.tsx`,
  recover: `${WEB}/parts/recover.ts`,
  'ui-style': `${WEB}/style/style.css`,
  'admin-style': `${WEB}/style/console.css`,
  mark: `${WEB}/style/mark.svg`,
};

export type Entry = keyof typeof ENTRIES;

/** The scripts and style sheets of the pages, ready to be served. */
export interface Bundle {
  /** The file of each entry. */
  names: Record<Entry, string>;
  /** The files by their names, which have a hash of the content in them; beside each, with `.br`, its brotli. */
  files: ReadonlyMap<string, Buffer>;
}

/** The name of the list of entries among the files of a build. */
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
  const { names, files } = await bundle();
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  const draft = `${folder}.draft`;
  await writeFile(draft, JSON.stringify(names));
  await rename(draft, join(folder, NAMES_FILE));
}

/** Writes the pages into a folder now, and whenever one of their sources changes, until the process ends. */
export async function watchBundle(folder: string): Promise<void> {
  const { context } = await import('esbuild');
  const writer: Plugin = {
    name: 'writer',
    setup: ({ onEnd }) =>
      onEnd(async ({ errors }) => {
        if (errors.length === 0) await writeBundle(folder);
      }),
  };
  // All of them at once, only to see what they are made of.
  const watching = await context({ ...OPTIONS, entryPoints: ENTRIES, plugins: [writer] });
  await watching.watch();
}

async function bundle(): Promise<Bundle> {
  // Loaded only here: what serves in production has no esbuild.
  const { build } = await import('esbuild');
  const files = new Map<string, Buffer>();
  // Each by itself: an area of the pages loads one script, which shares no file with that of another area.
  const names = await Promise.all(
    Object.entries(ENTRIES).map(async ([name, source]) => {
      const { outputFiles, metafile } = await build({ ...OPTIONS, entryPoints: { [name]: source } });
      for (const { path, contents } of outputFiles) {
        files.set(basename(path), Buffer.from(contents));
        files.set(`${basename(path)}.br`, await promisify(brotliCompress)(contents));
      }
      return [name, fileOf(source, metafile)];
    }),
  );
  return { names: Object.fromEntries(names), files };
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

function fileOf(source: string, { outputs }: Metafile): string {
  const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (path === undefined) throw new Error(`${source} was not built`);
  return basename(path);
}
