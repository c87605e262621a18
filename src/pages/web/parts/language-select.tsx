import { facts } from './facts.js';
import { Select } from './field.js';
import { say, Word } from './say.js';

/** A choice among the languages that are served; nothing where there is only one. The value of no choice is empty. */
export function LanguageSelect({ label, selected = '' }: { label: string; selected?: string }) {
  if (!facts.languages) return null;
  const options = { '': say(Word['parts.anyLanguage']), ...Object.fromEntries(facts.languages) };
  return <Select label={label} name="locale" options={options} selected={selected} />;
}

/** The tag and the name of the served language that a locale such as `de-CH` is of. */
export function languageOf(locale: string | null): [tag: string, name: string] | undefined {
  return facts.languages?.find(([tag]) => locale === tag || locale?.startsWith(`${tag}-`));
}

/** The choice of a form, for a body: nothing where it is as it was. A form sends no empty value: none is no preference. */
export function chosen(locale = '', former = ''): { locale?: string | null } {
  return locale === former ? {} : { locale: locale || null };
}
