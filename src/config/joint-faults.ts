import { Environment } from './environment.js';
import { variableName } from './variable-name.js';

/** What a provider cannot deliver mail without. */
const NEEDED = {
  mailapi: ['mailapiApiKey', 'mailapiSenderAddress'],
  cloudmail: ['cloudmailConnectionString', 'cloudmailSenderAddress'],
} as const;

const IDP_ENDPOINTS = ['idpAuthorizationUrl', 'idpTokenUrl', 'idpUserinfoUrl'] as const;

/** Faults that only show when two settings are seen together; some, only when it is known which were given. */
export function jointFaults(settings: Environment, given: object): string[] {
  const { environment, corsOrigins, databaseUrl, rateLimits } = settings;
  const { stripeSecretKey, stripeWebhookSecret } = settings;
  const faults: string[] = [];
  if (environment !== 'dev' && databaseUrl === undefined)
    faults.push('SVC_DATABASE_URL is missing: only dev brings a PostgreSQL of its own');
  if (['beta', 'prod'].includes(environment) && (corsOrigins?.length ?? 0) > 1)
    faults.push(`SVC_CORS_ORIGINS must name one origin in ${environment}`);
  if (environment !== 'dev' && rateLimits === 'off') faults.push('SVC_RATE_LIMITS may be off only in dev');
  if (stripeSecretKey !== undefined && stripeWebhookSecret?.length === 0)
    faults.push('SVC_STRIPE_WEBHOOK_SECRET is missing: SVC_STRIPE_SECRET_KEY is set');
  return [...faults, ...faultsOfIdp(settings, given), ...faultsOfMail(settings)];
}

/** Identities stored under the name of one provider would be taken for those of another. */
function faultsOfIdp(settings: Environment, given: object): string[] {
  if (settings.idpClientId === undefined) return [];
  const defaults = new Environment();
  const other = IDP_ENDPOINTS.find((endpoint) => settings[endpoint] !== defaults[endpoint]);
  const faults: string[] = [];
  if (settings.idpClientSecret === undefined)
    faults.push('SVC_IDP_CLIENT_SECRET is missing: SVC_IDP_CLIENT_ID is set');
  if (other !== undefined && !('idpIssuer' in given))
    faults.push(
      `SVC_IDP_ISSUER is missing: its default is Google, and ${variableName(other)} is not Google's`,
    );
  return faults;
}

/** What the chosen mail providers lack. */
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
