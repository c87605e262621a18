import type { ComponentChildren } from 'preact';
import { type Given, type KnownProblem, Word } from '../../../words/page-words.js';
import {
  type CompiledTexts,
  type Formats,
  isolated as inText,
  type PageWords,
  pieces,
  type Slot,
  type Value,
  say as written,
} from '../../../words/say.js';
import { WithAddress } from './address.js';
import { facts } from './facts.js';
import { locale, MOMENTS, NUMBERS } from './locale.js';

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
    direction: language.direction,
    number: (count) => NUMBERS.format(count),
    moment: (instant) => MOMENTS.format(instant),
    plural: (count) => plurals.select(count),
  };
}

/** What a word takes where there is no markup: one that has slots or pieces cannot be said so. */
type Values<W extends Word> = Given<never, never>[W];

/** Fetches what the acts of the audit log are called, by their types. */
export async function loadActs(): Promise<Record<string, string>> {
  return fetched(new URL(language.late.acts, folder).href);
}

/** Fetches what the parts say that few visitors see. */
export async function loadLateWords(): Promise<void> {
  const { texts } = await fetched<CompiledTexts>(new URL(language.late.parts, folder).href);
  language.texts = language.texts.map((text, word) => text || (texts[word] ?? ''));
}

let problems: Promise<void> | undefined;

/** Each refusal waits for its words, even the one without a session: a page that never got them would stay empty. */
const PROBLEMS_MS = 3_000;

/** Fetches the texts of problems, once. Without them, a problem is said as a failure of the service. */
export function loadProblems(): Promise<void> {
  problems ??= fetched<PageWords['problems']>(
    new URL(language.late.problems, folder).href,
    AbortSignal.timeout(PROBLEMS_MS),
  ).then(
    (all) => {
      language.problems = all;
    },
    () => {
      problems = undefined;
    },
  );
  return problems;
}

async function fetched<T>(href: string, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(href, signal && { signal });
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

/** The text of a problem. One that the page does not know is said as a failure of the service. */
export function sayProblem(code: KnownProblem, given: Record<string, Value>): string {
  const { problems } = language;
  return written(problems[code] ?? problems.InternalError ?? '', given, formats);
}

/** The text of a word that has markup in it: a slot puts an element around a part of it. Names and addresses are isolated. */
export function Rich<W extends Word>({
  word,
  given,
}: {
  word: W;
  given: Given<Slot<ComponentChildren>, ComponentChildren>[W];
}) {
  return <>{pieces<ComponentChildren>(textOf(word), withConstants(given), formats, asElement)}</>;
}

/** A name or a title where there is no markup around it, isolated if it has another direction than the page. */
export function isolated(text: string): string {
  return inText(text, formats);
}

/** Several names as one part of a sentence: `a, b and c`. */
export function listed(names: string[]): string {
  return new Intl.ListFormat(locale).format(names.map(isolated));
}

/** Slots that many texts have. */
export const strong = (inner: ComponentChildren) => <strong>{inner}</strong>;

export const linkTo = (href: string) => (inner: ComponentChildren) => <a href={href}>{inner}</a>;

function asElement(value: unknown): ComponentChildren {
  return typeof value === 'string' ? <WithAddress>{value}</WithAddress> : (value as ComponentChildren);
}

function textOf(word: Word) {
  return language.texts[word] ?? '';
}

function withConstants(given: object | undefined): Record<string, unknown> {
  return { product: facts.product, ...given };
}
