import { ACTS, FORMER_ACTS } from '../../../audit/acts.js';

const WORDS: Record<string, string> = { ...ACTS, ...FORMER_ACTS };

/** What an audit event records. A type that these pages do not know yet is shown as it is. */
export function actInWords(type: string): string {
  return WORDS[type] ?? type;
}
