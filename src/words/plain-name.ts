declare const typed: unique symbol;

/** What a person typed, made safe to stand in a text of ours. Only `plainName` makes it. */
export type Person = string & { readonly [typed]: true };

const MAX_CODE_POINTS = 80;

/** A zero-width space, at which an address ends. */
const BREAK = '\u200b';

/**
 * A name that a person chose, as a text of ours may carry it: short, on one line, with nothing invisible that turns the text
 * around it, and nothing a mail client takes for an address: `evil.example/login` stays a mere text. The joiners
 * remain, which Persian and Hindi are spelled with.
 */
export function plainName(name: string, maxCodePoints = MAX_CODE_POINTS): Person {
  const line = name
    .replace(/(?!\u200c|\u200d)\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return shortened(line, maxCodePoints).replace(
    /[./:@．／：＠。｡](?=\S)/gu,
    (sign) => BREAK + sign + BREAK,
  ) as Person;
}

function shortened(line: string, maxCodePoints: number): string {
  const codePoints = [...line];
  return codePoints.length > maxCodePoints ? `${codePoints.slice(0, maxCodePoints).join('')}…` : line;
}
