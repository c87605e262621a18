import { once } from 'node:events';

/** Writes to standard output, and waits while its reader is slower: what waits for it would fill the memory. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
