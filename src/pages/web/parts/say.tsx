import type { ComponentChildren } from 'preact';
import { type Given, Word } from '../../../words/page-words.js';
import {
  type Formats,
  type PageWords,
  pieces,
  type Slot,
  type Value,
  say as written,
} from '../../../words/say.js';
import { WithAddress } from './address.js';
import { facts } from './facts.js';

export { Word };

let language: PageWords;
let folder: string;
let formats: Formats;

/** Fetches what the page says. The document has named the file, so that the browser has asked for it already. */
export async function loadWords(): Promise<void> {
  const { href } = document.querySelector<HTMLLinkElement>('link[as="fetch"]') as HTMLLinkElement;
  language = await fetched(href);
  folder = href;
  const plurals = new Intl.PluralRules(language.tag);
  formats = {
    number: (count) => count.toLocaleString(),
    moment: (instant) => instant.toLocaleString(),
    plural: (count) => plurals.select(count),
  };
}

/** What a word takes where there is no markup: one that has slots or pieces cannot be said so. */
type Values<W extends Word> = Given<never, never>[W];

/** Fetches what the acts of the audit log are called, by their types. */
export async function loadActs(): Promise<Record<string, string>> {
  return fetched(new URL(language.acts, folder).href);
}

async function fetched<T>(href: string): Promise<T> {
  const answer = await fetch(href);
  if (!answer.ok) throw new Error(`${href} answers ${answer.status}`);
  return answer.json();
}

/** A word that takes no values. */
export type PlainWord = { [W in Word]: [Values<W>] extends [never] ? W : never }[Word];

/** The text of a word, with the values that it takes. */
export function say<W extends Word>(
  word: W,
  ...[given]: [Values<W>] extends [never] ? [] : [given: Values<W>]
): string {
  return written(textOf(word), withConstants(given) as Record<string, Value>, formats);
}

/** The text of a word that has markup in it: a slot puts an element around a part of it. Names and addresses are isolated. */
export function Rich<W extends Word>({
  word,
  given,
}: {
  word: W;
  given: Given<Slot<ComponentChildren>, ComponentChildren>[W];
}) {
  return <>{pieces<ComponentChildren>(textOf(word), withConstants(given), formats, isolated)}</>;
}

/** Several things as one part of a sentence: `a, b and c`. */
export function listed(things: string[]): string {
  return new Intl.ListFormat(language.tag).format(things);
}

/** Slots that many texts have. */
export const strong = (inner: ComponentChildren) => <strong>{inner}</strong>;

export const linkTo = (href: string) => (inner: ComponentChildren) => <a href={href}>{inner}</a>;

function isolated(value: unknown): ComponentChildren {
  return typeof value === 'string' ? <WithAddress>{value}</WithAddress> : (value as ComponentChildren);
}

function textOf(word: Word) {
  return language.texts[word] ?? '';
}

function withConstants(given: object | undefined): Record<string, unknown> {
  return { product: facts.product, ...given };
}
