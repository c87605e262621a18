import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { build } from 'esbuild';

const FOLDER = 'test/browser/spa';

/** Serves the example as its users would: the files that there are, and its one page for every other path. */
export async function spa(apiUrl: string): Promise<RequestListener> {
  const { outputFiles } = await build({
    entryPoints: [`${FOLDER}/main.ts`],
    bundle: true,
    format: 'esm',
    write: false,
    define: { 'import.meta.env': JSON.stringify({ API_URL: apiUrl }) },
  });
  const script = outputFiles[0]?.contents ?? '';

  return ({ url }, response) => {
    if (url === '/main.js') response.setHeader('content-type', 'text/javascript').end(script);
    else if (url === '/style.css') response.setHeader('content-type', 'text/css').end(file('style.css'));
    else response.setHeader('content-type', 'text/html').end(file('index.html'));
  };
}

function file(name: string): Buffer {
  return readFileSync(`${FOLDER}/${name}`);
}
