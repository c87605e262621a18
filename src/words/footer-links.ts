import type { Environment } from '../config/environment.js';
import { inLanguage } from '../config/variables.js';
import { SOURCE } from './language-file.js';
import { lookup } from './lookup.js';

/** A link of the product at the foot of pages and mails, as a language says it. */
export interface Link {
  label: string;
  url: string;
  /** The tag of another language, where the product has no words for this one. */
  tag?: string;
}

/** The links of `SVC_FOOTER_LINKS` for readers of a language. One leads to the page of the language that it is called in. */
export function linksIn(
  language: string,
  { footerLinks, locales }: Pick<Environment, 'footerLinks' | 'locales'>,
): Link[] {
  return footerLinks.map(({ url, words }) => {
    const tag = lookup([language, locales?.[0] ?? SOURCE], Object.keys(words)) ?? SOURCE;
    const link = { label: words[tag] ?? '', url: inLanguage(url, tag) };
    return tag === language ? link : { ...link, tag };
  });
}
