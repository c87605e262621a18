type Sign = [name: string, pattern: RegExp];

/** The first one that matches counts: most browsers claim to be several of those below them as well. */
const BROWSERS: Sign[] = [
  ['Edge', /\bEdg/],
  ['Opera', /\b(OPR|Opera)\b/],
  ['Samsung Internet', /\bSamsungBrowser\b/],
  ['Firefox', /\b(Firefox|FxiOS)\b/],
  ['Chrome', /\b((Headless)?Chrome|CriOS)\b/],
  ['Safari', /\bSafari\b/],
];

const SYSTEMS: Sign[] = [
  ['an iPhone', /\biPhone\b/],
  ['an iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * A user agent in words a person understands, such as `Firefox on Windows`. All of the words are ours: a program can
 * send any text as its name, also one on which a reader would act.
 */
export function deviceName(userAgent: string | null): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (signs) => signs.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0],
  );
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system ? `an unknown program on ${system}` : 'an unknown program');
}
