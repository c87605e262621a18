import type { ClientLanguage } from './client-words.js';
import { soundLanguage } from './compile.js';
import { type KnownProblem, Word } from './page-words.js';
import type { Text } from './say.js';

/**
 * The texts that the client has in a language. Each code of the contract has one, or this does not compile.
 *
 * @throws Error when a text has a fault.
 */
export async function clientLanguage(tag: string): Promise<ClientLanguage> {
  const [{ language }, problems] = await Promise.all([
    soundLanguage(tag, 'pages'),
    soundLanguage(tag, 'problems'),
  ]);
  const text = (word: Word) => language.texts[word] ?? '';
  const byCode = problems.keys.map((key, place) => [
    key.replace('problem.', ''),
    problems.language.texts[place],
  ]);
  return {
    tag,
    direction: language.direction,
    problems: Object.fromEntries(byCode) as Record<KnownProblem, Text>,
    reason: text(Word['parts.form.fault']),
    role: text(Word['parts.role']),
    device: {
      both: text(Word['parts.device']),
      browser: text(Word['parts.device.browser']),
      system: text(Word['parts.device.system']),
      unknown: text(Word['parts.device.unknown']),
    },
  };
}
