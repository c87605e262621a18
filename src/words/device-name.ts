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
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** Systems that are called by the thing they run on. */
const THINGS = new Set(['iPhone', 'iPad']);

/** The names of the browser and the system that a user agent shows, as their makers call them. */
export function deviceSigns(userAgent: string | null): {
  browser: string | undefined;
  system: string | undefined;
} {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (signs) => signs.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0],
  );
  return { browser, system };
}

/**
 * A user agent in words a person understands, such as `Firefox on Windows`. All of the words are ours: a program can
 * send any text as its name, also one on which a reader would act.
 */
export function deviceName(userAgent: string | null): string {
  const { browser, system } = deviceSigns(userAgent);
  const place = system && THINGS.has(system) ? `an ${system}` : system;
  if (browser && place) return `${browser} on ${place}`;
  return browser ?? (place ? `an unknown program on ${place}` : 'an unknown program');
}
