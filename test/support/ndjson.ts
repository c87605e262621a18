import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callCommand } from './command-line.js';
import { temporaryFolder } from './temporary-folder.js';
import type { TestApp } from './test-app.js';

/** What an import says of a line. */
// biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the fields.
export type Result = any;

/** Writes a file with some objects, one a line; a text is a line as it is. Returns its path. */
export async function fileOf(lines: unknown[]): Promise<string> {
  const file = join(await temporaryFolder(), 'users.ndjson');
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(file, `${texts.join('\n')}\n`);
  return file;
}

/** Imports some lines, and returns what the command printed of each. */
export async function imported(
  app: TestApp,
  lines: unknown[],
  { words = [] as string[], variables = {} as Record<string, string> } = {},
): Promise<{ results: Result[]; code: number | null; output: string }> {
  const {
    lines: printed,
    code,
    output,
  } = await callCommand(app, ['import', await fileOf(lines), ...words], variables);
  return {
    results: printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)),
    code,
    output,
  };
}
