import { parsedUrl } from '../validation/parsed-url.js';
import { Environment } from './environment.js';
import { allowedOrigins, isKnownEnvironment } from './origins.js';
import { arePagesOn, leadsToPages } from './pages.js';
import { mayUseRpId } from './relying-party.js';
import { variableName } from './variable-name.js';
import { isOrgUrl } from './variables.js';

/** The settings that a mail provider cannot do without. */
const NEEDED = {
  mailapi: ['mailapiApiKey', 'mailapiSenderAddress'],
  cloudmail: ['cloudmailConnectionString', 'cloudmailSenderAddress'],
  smtp: ['smtpHost', 'smtpSenderAddress'],
} as const;

const MAX_WEBHOOKS = 8;
const MAX_FOOTER_LINKS = 5;
const MIN_AUDIT_DAYS = 4;

const IDP_ENDPOINTS = ['idpAuthorizationUrl', 'idpTokenUrl', 'idpUserinfoUrl'] as const;

/**
 * The errors that only show when two settings are seen together. For some of them it matters which settings the
 * operator gave, and which have their default.
 */
export function conflictErrors(settings: Environment, given: object): string[] {
  const { environment, corsOrigins, databaseUrl, rateLimits } = settings;
  const { stripeSecretKey, stripeWebhookSecret } = settings;
  const errors: string[] = [];
  if (environment !== 'dev' && databaseUrl === undefined)
    errors.push('SVC_DATABASE_URL is missing: only dev brings a PostgreSQL of its own');
  if (['beta', 'prod'].includes(environment) && (corsOrigins?.length ?? 0) > 1)
    errors.push(`SVC_CORS_ORIGINS must name one origin in ${environment}`);
  if (environment !== 'dev' && rateLimits === 'off') errors.push('SVC_RATE_LIMITS may be off only in dev');
  if (stripeSecretKey !== undefined && stripeWebhookSecret?.length === 0)
    errors.push('SVC_STRIPE_WEBHOOK_SECRET is missing: SVC_STRIPE_SECRET_KEY is set');
  if (settings.tokenKeys !== undefined && settings.tokenAudiences?.length === 0)
    errors.push('SVC_TOKEN_AUDIENCES is missing: SVC_TOKEN_KEYS is set');
  return [
    ...errors,
    ...pageErrors(settings),
    ...orgUrlErrors(settings),
    ...passkeyErrors(settings),
    ...idpErrors(settings, given),
    ...otherIdpErrors(settings),
    ...authTimeErrors(settings),
    ...webhookErrors(settings),
    ...linkErrors(settings),
    ...mailErrors(settings),
  ];
}

/** Without the pages, the links in mails would lead nowhere. Whether there are pages depends on the environment's name. */
function pageErrors(settings: Environment): string[] {
  const { environment, baseApiUrl, baseWebUrl } = settings;
  const isOff = environment && parsedUrl(baseApiUrl) && parsedUrl(baseWebUrl) && !arePagesOn(settings);
  if (!isOff) return [];
  return [
    ...(leadsToPages(settings)
      ? ['SVC_PAGES must be on: SVC_BASE_WEB_URL leads to the pages of the service']
      : []),
    ...(settings.webPages ? ['SVC_PAGES must be on: SVC_WEB_PAGES leaves pages to the service'] : []),
  ];
}

/** The pages lead to no address whose own pages may not call the service. */
function orgUrlErrors(settings: Environment): string[] {
  const { orgUrl, baseWebUrl, corsOrigins } = settings;
  if (!isOrgUrl(orgUrl) || parsedUrl(baseWebUrl) === null || !Array.isArray(corsOrigins)) return [];
  const isAllowed = !isKnownEnvironment(settings) || allowedOrigins(settings).has(new URL(orgUrl).origin);
  return isAllowed ? [] : ['SVC_ORG_URL must have an origin that may call the service (SVC_CORS_ORIGINS)'];
}

/** A browser makes no passkey for a domain that the page is not in. */
function passkeyErrors({ passkeyRpId, baseWebUrl }: Environment): string[] {
  const page = parsedUrl(baseWebUrl);
  if (passkeyRpId === undefined || page === null) return [];
  return mayUseRpId(page.hostname, passkeyRpId)
    ? []
    : ['SVC_PASSKEY_RP_ID must be the host of SVC_BASE_WEB_URL, or a domain above it that one can register'];
}

/** Identities stored under the name of one provider would be taken for those of another. */
function idpErrors(settings: Environment, given: object): string[] {
  if (settings.idpClientId === undefined) return [];
  const defaults = new Environment();
  const other = IDP_ENDPOINTS.find((endpoint) => settings[endpoint] !== defaults[endpoint]);
  const errors: string[] = [];
  if (settings.idpClientSecret === undefined)
    errors.push('SVC_IDP_CLIENT_SECRET is missing: SVC_IDP_CLIENT_ID is set');
  if (other !== undefined && !('idpIssuer' in given))
    errors.push(
      `SVC_IDP_ISSUER is missing: its default is Google, and ${variableName(other)} is not Google's`,
    );
  return errors;
}

/** Without OpenID Connect there is no ID token that could say it. */
function authTimeErrors({ idpClientId, idpSaysAuthTime, idpScope, idpOthers }: Environment): string[] {
  const lacksOpenId = (scope: unknown) => !String(scope).split(' ').includes('openid');
  const first = idpClientId !== undefined && idpSaysAuthTime && lacksOpenId(idpScope);
  const others = (idpOthers ?? []).flatMap(({ says_auth_time, scope }, index) =>
    says_auth_time && lacksOpenId(scope) ? [`${variableName('idpOthers')}[${index}].says_auth_time`] : [],
  );
  return [...(first ? [variableName('idpSaysAuthTime')] : []), ...others].map(
    (name) => `${name} must be false: the scope has no openid`,
  );
}

/**
 * Two providers of one name would share a path. Two of one issuer would share identities: an issuer may know a user
 * under another subject for each client, so that one user's subject could be that of another.
 */
function otherIdpErrors({ idpClientId, idpIssuer, idpOthers }: Environment): string[] {
  const variable = variableName('idpOthers');
  const others = (idpOthers ?? []).map((provider, index) => ({ ...provider, name: `${variable}[${index}]` }));
  const first = { name: variableName('idpIssuer'), issuer: idpIssuer };
  return others.flatMap(({ name, id, issuer, preset, vouched_domains }, index) => {
    const earlier = others.slice(0, index);
    const known = idpClientId === undefined ? earlier : [first, ...earlier];
    const namesake = earlier.find((other) => id !== undefined && other.id === id);
    const twin = known.find((other) => isSameIssuer(other.issuer, issuer));
    const errors: string[] = [];
    if (namesake) errors.push(`${name}.id is that of ${namesake.name} too`);
    if (twin) errors.push(`${name}.issuer is that of ${twin.name} too`);
    if (preset === 'microsoft' && vouched_domains?.length === 0)
      errors.push(`${name}.vouched_domains is missing: Microsoft does not say which addresses are verified`);
    return errors;
  });
}

/** Also where one has a slash at its end, or capitals in its host, and the other has not. */
function isSameIssuer(one: string, other: string): boolean {
  const [plain, otherPlain] = [one, other].map((issuer) => parsedUrl(issuer)?.href.replace(/\/$/, ''));
  return plain !== undefined && plain === otherPlain;
}

/** Two endpoints of one name would share deliveries. An event is read when it is sent, up to three days later. */
function webhookErrors({ webhooks, cronAuditRetentionDays }: Environment): string[] {
  if (!Array.isArray(webhooks)) return [];
  const variable = variableName('webhooks');
  const names = webhooks.map(({ name }) => name);
  const errors = names.flatMap((name, index) =>
    name !== undefined && names.indexOf(name) < index
      ? [`${variable}[${index}].name is that of ${variable}[${names.indexOf(name)}] too`]
      : [],
  );
  if (webhooks.length > MAX_WEBHOOKS) errors.push(`${variable} must have ${MAX_WEBHOOKS} endpoints at most`);
  if (webhooks.length > 0 && cronAuditRetentionDays < MIN_AUDIT_DAYS)
    errors.push(`SVC_CRON_AUDIT_RETENTION_DAYS must be ${MIN_AUDIT_DAYS} at least: ${variable} is set`);
  return errors;
}

/** Readers of a language that a link has no words for read those of the default language. */
function linkErrors({ footerLinks, locales }: Environment): string[] {
  if (!Array.isArray(footerLinks)) return [];
  const variable = variableName('footerLinks');
  const language = (Array.isArray(locales) && locales[0]) || 'en';
  const errors = footerLinks.flatMap(({ words }, index) =>
    words && words[language] === undefined
      ? [`${variable}[${index}].words must have a text in ${language}, the default language`]
      : [],
  );
  if (footerLinks.length > MAX_FOOTER_LINKS)
    errors.push(`${variable} must have ${MAX_FOOTER_LINKS} links at most`);
  return errors;
}

/** The settings that the chosen mail providers lack. */
function mailErrors(settings: Environment): string[] {
  const { emailProvider, emailFallbackProvider, smtpUser, smtpPassword } = settings;
  const errors = Object.entries(NEEDED)
    .filter(([provider]) => provider === emailProvider || provider === emailFallbackProvider)
    .flatMap(([provider, needed]) =>
      needed
        .filter((setting) => settings[setting] === undefined)
        .map((setting) => `${variableName(setting)} is missing: mail is to go through ${provider}`),
    );
  if (emailProvider !== undefined && emailProvider === emailFallbackProvider)
    errors.push('SVC_EMAIL_FALLBACK_PROVIDER must be another provider than SVC_EMAIL_PROVIDER');
  if ((smtpUser === undefined) !== (smtpPassword === undefined))
    errors.push('SVC_SMTP_USER and SVC_SMTP_PASSWORD must both be set, or neither');
  return errors;
}
