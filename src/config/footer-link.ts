import { plainToInstance } from 'class-transformer';
import { check } from '../validation/check.js';
import { isCanonicalLocale } from '../validation/locale.js';
import { canonicalName } from '../validation/name.js';
import { parsedUrl } from '../validation/parsed-url.js';
import { isAddress } from '../validation/rules.js';
import { JsonListOf } from './json-list.js';
import { Flag, inLanguage } from './variables.js';

const MAX_CODE_POINTS = 60;

const MAILTO = 'mailto:';

/** An entry of `SVC_FOOTER_LINKS`: a page that the product has to show, such as its imprint. */
export class FooterLink {
  @check(
    'isLink',
    isLink,
    'must be an https:// address, or mailto: and an email address, with {language} as the only word in braces',
  )
  readonly url: string;

  /** What it is called, by the tags of languages. */
  @check(
    'areLinkWords',
    areWords,
    `must be texts of at most ${MAX_CODE_POINTS} characters by languages, such as { "en": "Imprint" }`,
  )
  readonly words: Record<string, string>;

  /** Whether it stands at the foot of mails too. */
  @Flag()
  readonly mails: boolean = false;
}

/** A JSON list of links. */
export function FooterLinks(): PropertyDecorator {
  return JsonListOf((written) => plainToInstance(FooterLink, written, { exposeDefaultValues: true }));
}

function isLink(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const link = inLanguage(value, 'en');
  // In the text of a mail it would end there.
  if (/[\s\p{C}{}<>"\\]/u.test(link)) return false;
  if (link.startsWith(MAILTO)) return isAddress(link.slice(MAILTO.length).split('?')[0]);
  const { protocol, username, password } = parsedUrl(link) ?? {};
  return link.startsWith('https://') && protocol === 'https:' && !username && !password;
}

function areWords(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([tag, text]) => isCanonicalLocale(tag) && isLabel(text));
}

function isLabel(value: unknown): boolean {
  return typeof value === 'string' && canonicalName(value) === value && [...value].length <= MAX_CODE_POINTS;
}
