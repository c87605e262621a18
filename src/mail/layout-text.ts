import type { Action, Letter, Sender } from './layout.js';

/** Where mail clients expect the signature to begin (RFC 3676 §4.3). */
const SIGNATURE = '-- ';

/** A letter as plain text. */
export function asText(letter: Letter, { name, contact }: Sender): string {
  const { paragraphs, action, aside, footnote } = letter;
  const parts = [
    ...paragraphs,
    action && withLink(action),
    aside && withLink(aside),
    footnote,
    [SIGNATURE, name, ...(contact ? [contact] : [])].join('\n'),
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

/** The link stands on a line of its own, so that no mail client breaks it. */
function withLink({ label, link }: Action): string {
  return `${label}:\n${link}`;
}
