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
const TELLTALE_WORDS = /change[-_ ]?me|example|placeholder|replace[-_ ]|your[-_ ]|password|secret[-_ ]?key/i;

/** 32 hexadecimal digits at random have fewer than 8 different ones once in some hundred million times. */
const MIN_DIFFERENT_CHARACTERS = 8;

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
        .filter(({ value }) => value === DEV_JWT_SECRET_KEY || TELLTALE_WORDS.test(value))
        .map(({ variable }) => `${variable} is an example that others know too.`),
  },
  {
    code: 'SECRET_WEAK',
    severity: 'error',
    fix: 'Make a random one with: openssl rand -base64 32',
    find: (settings) =>
      ownSecrets(settings)
        .filter(({ value }) => new Set(value).size < MIN_DIFFERENT_CHARACTERS)
        .map(({ variable }) => `${variable} consists of few different characters, and can be guessed.`),
  },
  {
    code: 'SECRET_REPEATED',
    severity: 'error',
    fix: 'Give each variable a secret of its own: a person who learns one must not hold the other.',
    find: repeatedSecrets,
  },
];

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
