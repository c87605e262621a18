import { existsSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Environment } from './environment.js';
import { describeFault, type Settings } from './preflight/fault.js';
import { preflight } from './preflight/preflight.js';
import { DEV_JWT_SECRET_KEY } from './preflight/secret-rules.js';
import { variableName } from './variable-name.js';

type Variables = Record<string, string | undefined>;

/** What a provider cannot deliver mail without. */
const NEEDED = {
  mailapi: ['mailapiApiKey', 'mailapiSenderAddress'],
  cloudmail: ['cloudmailConnectionString', 'cloudmailSenderAddress'],
} as const;

/** All that is wrong with a configuration, one line a fault, each naming its variable. */
export class InvalidEnvironment extends Error {
  constructor(readonly faults: string[]) {
    const lines = faults.map((fault) => `  - ${fault}`);
    super(['The configuration is not valid; .env.example explains each variable:', ...lines].join('\n'));
  }
}

/**
 * The environment of this process; a `.env` file in the working directory fills in what is not set.
 * Throws InvalidEnvironment with every fault at once.
 */
export function readEnvironment(fixed: Variables = {}): Environment {
  return parseEnvironment(variablesOfProcess(fixed));
}

/** The environment to serve with: what passes the preflight too, whose errors are told together with the others. */
export function readSoundEnvironment(): Environment {
  const { environment, faults, sound } = inspect(variablesOfProcess());
  const errors = preflight(sound).filter(({ severity }) => severity === 'error');
  const all = [...faults, ...errors.map(describeFault)];
  if (all.length > 0) throw new InvalidEnvironment(all);
  return environment;
}

/** The settings that a set of variables describes; a variable set to nothing counts as unset. */
export function parseEnvironment(variables: Variables): Environment {
  const { environment, faults } = inspect(variables);
  if (faults.length > 0) throw new InvalidEnvironment(faults);
  return environment;
}

/** The settings of the service, in the order of the Environment. */
export function settingNames(): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
  return [...new Set(rules.map((rule) => rule.propertyName))];
}

function variablesOfProcess(fixed: Variables = {}): Variables {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return { ...process.env, ...fixed };
}

/** The settings, what is wrong with them, and those of them that are well-formed. */
function inspect(variables: Variables) {
  const given =
    variables.SVC_ENVIRONMENT === 'dev'
      ? { ...devDefaults(variables), ...filled(variables) }
      : filled(variables);
  const settings = Object.fromEntries(
    settingNames().flatMap((setting) => {
      const value = given[variableName(setting)];
      return value === undefined ? [] : [[setting, value]];
    }),
  );

  const environment = plainToInstance(Environment, settings, { exposeDefaultValues: true });
  const violations = validateSync(environment, { stopAtFirstError: true });
  const faults = [...violations.map(describeViolation), ...faultsTogether(environment)];
  const malformed = new Set(violations.map(({ property }) => property));
  const sound: Settings = Object.fromEntries(
    Object.entries(environment).filter(([setting]) => !malformed.has(setting)),
  );
  return { environment, faults, sound };
}

/** What lets `npm run dev` start with nothing configured. */
function devDefaults(variables: Variables): Variables {
  return {
    SVC_BASE_WEB_URL: 'http://localhost:5173',
    SVC_BASE_API_URL: `http://localhost:${variables.SVC_PORT || 3000}`,
    SVC_EMAIL_PROVIDER: 'stub',
    SVC_JWT_SECRET_KEY: DEV_JWT_SECRET_KEY,
  };
}

function filled(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
}

function describeViolation({ property, value, constraints = {} }: ValidationError): string {
  const rule = Object.values(constraints)[0]?.replace(property, '').trim();
  return `${variableName(property)} ${value === undefined ? `is missing: it ${rule}` : rule}`;
}

/** Faults that only show when two settings are seen together. */
function faultsTogether(settings: Environment): string[] {
  const { environment, corsOrigins, databaseUrl, rateLimits, idpClientId, idpClientSecret } = settings;
  const { stripeSecretKey, stripeWebhookSecret } = settings;
  const faults: string[] = [];
  if (environment !== 'dev' && databaseUrl === undefined)
    faults.push('SVC_DATABASE_URL is missing: only dev brings a PostgreSQL of its own');
  if (['beta', 'prod'].includes(environment) && (corsOrigins?.length ?? 0) > 1)
    faults.push(`SVC_CORS_ORIGINS must name one origin in ${environment}`);
  if (environment !== 'dev' && rateLimits === 'off') faults.push('SVC_RATE_LIMITS may be off only in dev');
  if (idpClientId !== undefined && idpClientSecret === undefined)
    faults.push('SVC_IDP_CLIENT_SECRET is missing: SVC_IDP_CLIENT_ID is set');
  if (stripeSecretKey !== undefined && stripeWebhookSecret?.length === 0)
    faults.push('SVC_STRIPE_WEBHOOK_SECRET is missing: SVC_STRIPE_SECRET_KEY is set');
  return [...faults, ...faultsOfMail(settings)];
}

/** What the chosen providers of mail lack. */
function faultsOfMail(settings: Environment): string[] {
  const { emailProvider, emailFallbackProvider } = settings;
  const faults = Object.entries(NEEDED)
    .filter(([provider]) => provider === emailProvider || provider === emailFallbackProvider)
    .flatMap(([provider, needed]) =>
      needed
        .filter((setting) => settings[setting] === undefined)
        .map((setting) => `${variableName(setting)} is missing: mail is to go through ${provider}`),
    );
  if (emailProvider !== undefined && emailProvider === emailFallbackProvider)
    faults.push('SVC_EMAIL_FALLBACK_PROVIDER must be another provider than SVC_EMAIL_PROVIDER');
  return faults;
}
