import { access, chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Longer than making any folder may take. */
const ABANDONED_AFTER_MS = 10 * 60 * 1000;

/**
 * Makes a folder that is whole or absent: filled under another name, then renamed. When two processes make it, the
 * first one wins; a killed one leaves only a draft.
 */
export async function makeWhole(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  if (await exists(folder)) return;
  await removeAbandonedDrafts(folder);

  const draft = await mkdtemp(`${folder}.draft-`);
  try {
    // Others may pass through, to files that are closed to them one by one; umask has no say in it.
    await chmod(draft, 0o711);
    await fill(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  }
}

async function removeAbandonedDrafts(folder: string): Promise<void> {
  const siblings = await readdir(dirname(folder));
  for (const name of siblings.filter((sibling) => sibling.startsWith(`${basename(folder)}.draft-`))) {
    const draft = join(dirname(folder), name);
    const madeAt = (await stat(draft).catch(() => null))?.mtimeMs ?? Date.now();
    if (Date.now() - madeAt > ABANDONED_AFTER_MS) await rm(draft, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
