import { readEnvironment } from '../config/read-environment.js';
import { readOwnFolder } from '../start/own-folder.js';
import { columnsOf } from '../words/columns.js';
import { noted } from '../words/language-file.js';
import { readEnglish } from '../words/own-words.js';

/** `messages check [folder]`: what the start would say of the words and looks of a product. Exits with 1 when it would not start. */
export async function checkMessages(folder: string | undefined): Promise<void> {
  const { messagesDir, footerLinks } =
    folder === undefined ? await readEnvironment() : { messagesDir: folder, footerLinks: [] };
  if (messagesDir === undefined) throw new Error('Say which folder, or set SVC_MESSAGES_DIR.');
  // As a deployment reads it, wherever this runs.
  const { words, frame } = await readOwnFolder({ environment: 'prod', messagesDir, footerLinks });
  for (const { code, text, fix } of [...words.warnings, ...(frame?.warnings ?? [])])
    console.log(`${code}: ${text} ${fix}`);
  console.log(`${messagesDir} has no fault.`);
}

/** `messages list [prefix]`: the texts that a product can have words of its own for. */
export async function listMessages(prefix = '', { json = false } = {}): Promise<void> {
  const { words } = await readEnglish();
  const wanted = Object.entries(words)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, entry]) => ({ key, ...noted(entry) }));
  if (json) {
    const texts = Object.fromEntries(wanted.map(({ key, text }) => [key, text]));
    console.log(JSON.stringify({ words: texts }, null, 2));
    return;
  }
  for (const { key, text, max } of wanted)
    console.log(
      `${key}\n    ${text}${max === undefined ? '' : `\n    ${columnsOf(text)} of ${max} columns`}`,
    );
}
