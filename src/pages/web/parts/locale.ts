/**
 * How the page writes numbers, dates and lists: as the visitor’s country does, where the browser names one that speaks the
 * language of the page. Without a country, English writes a day before its month, as most of its readers do.
 */
export const locale = localeOf(document.documentElement.lang);

export const NUMBERS = new Intl.NumberFormat(locale);

export const MOMENTS = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

function localeOf(page: string): string {
  const wanted = navigator.languages.find((tag) => spoken(tag) === spoken(page)) ?? page;
  return wanted === 'en' ? 'en-GB' : wanted;
}

/** The language and script of a tag: `zh-CN` is spoken as `zh-Hans` is, and `zh-TW` is not. */
function spoken(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
}
