import { readFile } from 'node:fs/promises';

/** The files of Swagger UI that the page asks for, and their types. */
const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

export const SWAGGER_UI_PATHS = Object.keys(FILES).map((name) => `docs/${name}`);

/** The version that is installed. */
export async function swaggerUiVersion(): Promise<string> {
  return JSON.parse(await readFile(manifest(), 'utf8')).version;
}

/** A file by its path, read each time: few clients ask for these 1.6 MB, so they do not stay in memory. */
export async function swaggerUiFile(path: string): Promise<{ type: string; content: Buffer }> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { type: FILES[name] ?? '', content: await readFile(new URL(name, manifest())) };
}

function manifest(): URL {
  return new URL(import.meta.resolve('swagger-ui-dist/package.json'));
}
