import type { Part, Text } from './say.js';

/** One way to read a text: with one case of each plural and each select. */
export interface Reading {
  /** The chosen cases of selects, such as `role=member`. */
  choice: string;
  /** The words, with each value as `{name}`. */
  text: string;
  /** What it says of each value, such as `count plural`. */
  uses: Set<string>;
  /** The slots in the order of their names, such as `link`, or `link strong` for one within another. */
  slots: string[];
}

type Cases = Record<string, Text>;

/** The case that each value chooses. */
type Choice = Map<string, string>;

/** How many ways to read a text are read. A text with more of them was not written for people. */
export const MAX_READINGS = 2_000;

/** The values of a text, and how each is used: `text`, `number`, `moment`, `plural` or `select`. */
export function usesOf(text: Text): Map<string, Set<string>> {
  const uses = new Map<string, Set<string>>();
  const visit = (parts: Text, counted: string | null) => {
    if (typeof parts === 'string') return;
    for (const part of parts) {
      if (typeof part === 'string') continue;
      const [name, as = 'text', inner] = part;
      if (as === 'slot') visit(inner as Text, counted);
      // The sign # in a plural says the number that it counts.
      else if (as !== 'number' || name !== counted) uses.set(name, (uses.get(name) ?? new Set()).add(as));
      if (as !== 'plural' && as !== 'select') continue;
      for (const each of Object.values(inner as Cases)) visit(each, as === 'plural' ? name : counted);
    }
  };
  visit(text, null);
  return uses;
}

/** Every way to read a text, or the first of them where there are too many. */
export function readingsOf(text: Text): Reading[] {
  const selects = new Set<string>();
  const cases = casesOf(text, selects);
  let choices: Choice[] = [new Map()];
  for (const [name, names] of cases)
    choices = choices
      .flatMap((choice) => [...names].map((each) => new Map(choice).set(name, each)))
      .slice(0, MAX_READINGS);
  return choices.map((choice) => read(text, choice, selects));
}

/** The cases of each value that chooses one. */
export function casesOf(text: Text, selects = new Set<string>()): Map<string, Set<string>> {
  const cases = new Map<string, Set<string>>();
  const visit = (parts: Text) => {
    if (typeof parts === 'string') return;
    for (const part of parts) {
      if (typeof part === 'string') continue;
      const [name, as, inner] = part;
      if (as === 'slot') visit(inner as Text);
      if (as !== 'plural' && as !== 'select') continue;
      if (as === 'select') selects.add(name);
      cases.set(name, new Set([...(cases.get(name) ?? []), ...Object.keys(inner as Cases)]));
      for (const each of Object.values(inner as Cases)) visit(each);
    }
  };
  visit(text);
  return cases;
}

function read(text: Text, choice: Choice, selects: Set<string>): Reading {
  const uses = new Set<string>();
  const slots: string[] = [];
  const words = (parts: Text, within: string[]): string =>
    typeof parts === 'string' ? parts : parts.map((part) => wordsOf(part, within)).join('');
  const wordsOf = (part: Part, within: string[]): string => {
    if (typeof part === 'string') return part;
    const [name, as, inner] = part;
    if (as === 'slot') {
      slots.push([...within, name].join(' '));
      return words(inner as Text, [...within, name]);
    }
    uses.add(name);
    if (as !== 'plural' && as !== 'select') return `{${name}}`;
    const options = inner as Cases;
    return words(options[choice.get(name) ?? 'other'] ?? options.other ?? '', within);
  };
  const said = words(text, []);
  const chosen = [...choice].filter(([name]) => selects.has(name)).map(([name, each]) => `${name}=${each}`);
  return { choice: chosen.sort().join(', '), text: said, uses, slots: slots.sort() };
}
