import { variableName } from '../variable-name.js';
import type { Rule, Settings } from './finding.js';

/**
 * The same at every start of `dev`, so that a command line can write mail for the service to send. Every reader of this
 * file knows it.
 */
export const DEV_JWT_SECRET_KEY = 'known to everybody and only good for development';

/** The secrets that the operator makes up; a provider's key is as strong as the provider makes it. */
const OWN_SECRETS = ['jwtSecretKey', 'tokenKeys', 'cronSecret', 'metricsToken'] as const;
const PROVIDERS_SECRETS = [
  'idpClientSecret',
  'mailapiApiKey',
  'smtpPassword',
  'stripeSecretKey',
  'aiApiKey',
] as const;

/** Words of documentation, which a random secret does not hold. */
const TELLTALE_WORDS =
  /change[-_ ]?(me|it|this)|default|example|insecure|letmein|placeholder|qwerty|replace[-_ ]|your[-_ ]|password|secret[-_ ]?key/i;

/** Secrets that specifications and libraries publish: Standard Webhooks, Svix, jwt.io, and RFC 7515 (appendix A.1). */
const PUBLISHED = [
  'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'C2FVsBQIhrscChlQIMV+b5sSYob7oHQd',
  'a-string-secret-at-least-256-bits-long',
  'AyM1SysPpbyfDfZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
];

/** 32 hexadecimal digits at random have fewer than 8 different ones once in some hundred million times. */
const MIN_DIFFERENT_CHARACTERS = 8;

/** 32 hexadecimal digits at random have some 24 that do not follow from the earlier ones. */
const MIN_SURPRISES = 12;

/** The rows of a keyboard, the upper first. A key touches those at its place and before it in the row below. */
const KEYBOARD_ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** How many digits the numbers of a counter have. */
const COUNTER_WIDTHS = [2, 3, 4, 8];

interface HeldSecret {
  variable: string;
  value: string;
}

export const SECRET_RULES: Rule[] = [
  {
    code: 'SECRET_KNOWN',
    severity: 'error',
    fix: 'Make one of its own with: openssl rand -base64 32',
    find: (settings) =>
      ownSecrets(settings)
        .filter(({ value }) => isKnown(value))
        .map(({ variable }) => `${variable} is an example that others know too.`),
  },
  {
    code: 'SECRET_WEAK',
    severity: 'error',
    fix: 'Make a random one with: openssl rand -base64 32',
    find: (settings) =>
      ownSecrets(settings)
        .filter(({ value }) => isGuessable(value))
        .map(
          ({ variable }) =>
            `${variable} has few different characters, repeats, counts or follows the keyboard, and can be guessed.`,
        ),
  },
  {
    code: 'SECRET_REPEATED',
    severity: 'error',
    fix: 'Give each variable a secret of its own: a person who learns one must not hold the other.',
    find: repeatedSecrets,
  },
];

function isKnown(value: string): boolean {
  return value === DEV_JWT_SECRET_KEY || PUBLISHED.includes(value) || TELLTALE_WORDS.test(value);
}

function isGuessable(value: string): boolean {
  return new Set(value).size < MIN_DIFFERENT_CHARACTERS || surprisesIn(value) < MIN_SURPRISES;
}

/** The characters that a person who knows the earlier ones would not guess at once. */
function surprisesIn(value: string): number {
  const counted = countedIn(value);
  return Array.from({ length: value.length }, (_, index) => index).filter(
    (index) =>
      !isRepeated(value, index) &&
      !isNext(value.slice(index - 1, index + 1).toLowerCase()) &&
      !counted.has(index),
  ).length;
}

/** Whether a character stood behind the same two before. */
function isRepeated(value: string, index: number): boolean {
  return index >= 2 && value.indexOf(value.slice(index - 2, index + 1)) < index - 2;
}

/** Whether two characters are the same, or neighbours in the order of their codes or on a keyboard. */
function isNext(pair: string): boolean {
  if (pair.length < 2) return false;
  const step = pair.charCodeAt(1) - pair.charCodeAt(0);
  return Math.abs(step) <= 1 || touches(pair) || touches(`${pair[1]}${pair[0]}`);
}

/** Whether the second key is right of the first, or below it. */
function touches([one = '', other = '']: string): boolean {
  return KEYBOARD_ROWS.some((row, index) => {
    const place = row.indexOf(one);
    const below = KEYBOARD_ROWS[index + 1]?.indexOf(other) ?? -1;
    return (
      place >= 0 && (row[place + 1] === other || (below >= 0 && (below === place || below === place - 1)))
    );
  });
}

/** Where the numbers of a counter stand, in which each is as far from the one before as that one from its own. */
function countedIn(value: string): Set<number> {
  const counted = new Set<number>();
  for (const width of COUNTER_WIDTHS)
    for (let start = 2 * width; start < value.length; start++) {
      const numberAt = (place: number) => Number(`0x${value.slice(place, place + width)}`);
      const [step, stepBefore] = [start, start - width].map(
        (place) => numberAt(place) - numberAt(place - width),
      );
      if (step === stepBefore) for (let place = start; place < start + width; place++) counted.add(place);
    }
  return counted;
}

function repeatedSecrets(settings: Settings): string[] {
  const secrets = [...ownSecrets(settings), ...providersSecrets(settings)];
  return secrets.flatMap(({ variable, value }, index) => {
    const earlier = secrets.slice(0, index).find((other) => other.value === value);
    if (!earlier) return [];
    return earlier.variable === variable
      ? [`${variable} holds the same secret twice.`]
      : [`${variable} is the same as ${earlier.variable}.`];
  });
}

function ownSecrets(settings: Settings): HeldSecret[] {
  const lists = OWN_SECRETS.flatMap((setting) =>
    (settings[setting] ?? []).map((value) => ({ variable: variableName(setting), value })),
  );
  return [...lists, ...webhookSecrets(settings)];
}

/** Without their prefix: what follows could be another variable's secret. */
function webhookSecrets({ webhooks = [] }: Settings): HeldSecret[] {
  return webhooks.flatMap(({ secrets }, index) =>
    secrets.map((secret) => ({
      variable: `${variableName('webhooks')}[${index}].secrets`,
      value: secret.replace(/^whsec_/, ''),
    })),
  );
}

function providersSecrets(settings: Settings): HeldSecret[] {
  const others = (settings.idpOthers ?? []).map(({ client_secret: value }, index) => ({
    variable: `${variableName('idpOthers')}[${index}].client_secret`,
    value,
  }));
  const own = PROVIDERS_SECRETS.flatMap((setting) => {
    const value = settings[setting];
    return value === undefined ? [] : [{ variable: variableName(setting), value }];
  });
  return [...own, ...others];
}
