import type { Environment } from './environment.js';
import { variableName } from './variable-name.js';

/** What a provider cannot deliver mail without. */
const NEEDED = {
  mailapi: ['mailapiApiKey', 'mailapiSenderAddress'],
  cloudmail: ['cloudmailConnectionString', 'cloudmailSenderAddress'],
} as const;

/** Faults that only show when two settings are seen together. */
export function jointFaults(settings: Environment): string[] {
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
