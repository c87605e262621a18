import { parsedUrl } from '../../validation/parsed-url.js';
import { isLoopback, isPrivate } from '../near-hosts.js';
import { isConfidential, isThisMachine } from '../variables.js';
import type { Rule, Settings } from './finding.js';

const MIN_BCRYPT_COST = 10;

/** How long nginx and the load balancers of most clouds keep an idle connection to the service, unless told otherwise. */
const PROXY_KEEP_ALIVE_SECONDS = 60;

const ENCRYPTED = ['require', 'verify-ca', 'verify-full'];

export const SERVICE_RULES: Rule[] = [
  {
    code: 'HASHES_CHEAP',
    severity: 'error',
    fix: 'Leave SVC_BCRYPT_COST to its default of 12, or make it 10 at least (OWASP, Password Storage).',
    find: ({ bcryptCost }) =>
      bcryptCost !== undefined && bcryptCost < MIN_BCRYPT_COST
        ? [`SVC_BCRYPT_COST is ${bcryptCost}: stolen hashes would be guessed fast.`]
        : [],
  },
  {
    code: 'DATABASE_IN_THE_CLEAR',
    severity: 'warning',
    fix: 'Add ?sslmode=verify-full to SVC_DATABASE_URL, unless the network between is yours alone.',
    find: ({ databaseUrl }) =>
      databaseUrl !== undefined && isInTheClear(databaseUrl)
        ? [
            'SVC_DATABASE_URL names another host without TLS: password and rows pass the network in the clear.',
          ]
        : [],
  },
  {
    code: 'SMTP_IN_THE_CLEAR',
    severity: 'error',
    fix: 'Remove SVC_SMTP_TLS, or set it to implicit: off is for a server on this machine.',
    find: ({ smtpHost, smtpTls }) =>
      smtpHost !== undefined && smtpTls === 'off' && !isThisMachine(smtpHost)
        ? [
            'SVC_SMTP_TLS is off for another host: the password and the links in the mails pass the network in the clear.',
          ]
        : [],
  },
  {
    code: 'WEBHOOK_IN_THE_CLEAR',
    severity: 'warning',
    fix: 'Write https:// in SVC_WEBHOOKS, unless the network between is yours alone.',
    find: ({ webhooks = [] }) =>
      webhooks
        .filter(({ url }) => !isConfidential(url))
        .map(
          ({ name }) =>
            `SVC_WEBHOOKS sends to ${name} on another machine over http: names and addresses pass the network in the clear.`,
        ),
  },
  {
    code: 'KEEP_ALIVE_SHORT',
    severity: 'warning',
    fix: 'Leave SVC_KEEP_ALIVE_SECONDS to its default of 75, or have the proxy keep connections for less.',
    find: ({ keepAliveSeconds }) =>
      keepAliveSeconds !== undefined && keepAliveSeconds <= PROXY_KEEP_ALIVE_SECONDS
        ? [
            `SVC_KEEP_ALIVE_SECONDS is ${keepAliveSeconds}, and most proxies keep a connection for ${PROXY_KEEP_ALIVE_SECONDS} seconds: they send requests into connections that the service is closing.`,
          ]
        : [],
  },
  {
    code: 'CRON_MISSING',
    severity: 'warning',
    fix: 'Set SVC_CRON_SCHEDULE, or SVC_CRON_SECRET and have a scheduler call /cron.',
    find: ({ cronSchedule, cronSecret }) =>
      cronSchedule === undefined && cronSecret === undefined
        ? ['Neither SVC_CRON_SCHEDULE nor SVC_CRON_SECRET is set: what has expired stays in the database.']
        : [],
  },
  {
    code: 'OWNER_IN_SERVICE',
    severity: 'warning',
    fix: 'Give it only to the process that runs npm run cli -- migrate.',
    find: ({ databaseOwnerUrl }) =>
      databaseOwnerUrl === undefined
        ? []
        : [
            'SVC_DATABASE_OWNER_URL is set for the process that serves: an attacker in it could change the schema.',
          ],
  },
  {
    code: 'COOKIE_PLANTABLE',
    severity: 'warning',
    fix: 'Call it __Host-session, for instance: every user who is logged in has to log in once more.',
    find: ({ sessionCookieName }) =>
      sessionCookieName !== undefined && !/^__host-/i.test(sessionCookieName)
        ? [
            'SVC_SESSION_COOKIE_NAME has no __Host- prefix: a neighbouring host can plant a session of its own in a browser.',
          ]
        : [],
  },
  {
    code: 'VOUCHES_FOR_OPENID',
    severity: 'warning',
    fix: 'Remove SVC_IDP_VOUCHES_EMAILS, unless the provider verifies every address and never says so.',
    find: ({ idpClientId, idpVouchesEmails, idpScope = '' }) =>
      idpClientId !== undefined && idpVouchesEmails && idpScope.split(' ').includes('openid')
        ? [
            'SVC_IDP_VOUCHES_EMAILS is on for an OpenID provider: one that leaves email_verified out may not have verified the address.',
          ]
        : [],
  },
];

/** An environment may be called as an operator likes. Most often `production` stands for `prod`. */
export const UNKNOWN_ENVIRONMENT_RULES: Rule[] = [
  {
    code: 'ENVIRONMENT_UNKNOWN',
    severity: 'warning',
    fix: 'Set it to prod, unless no page is meant to call the service.',
    find: ({ environment }) => [
      `SVC_ENVIRONMENT is ${environment}, which is no known environment: the rules of prod apply, and no origin is allowed.`,
    ],
  },
];

/** Settings that are good enough for this machine. */
export const DEV_RULES: Rule[] = [
  {
    code: 'DEV_EXPOSED',
    severity: 'warning',
    fix: 'Leave SVC_HOST to its default of 127.0.0.1, or set SVC_ENVIRONMENT to beta.',
    find: ({ host = '' }) =>
      isLoopback(host)
        ? []
        : [
            `dev listens at ${host}: a person who reaches this machine reads the mails at /dev/mail, whose links open accounts.`,
          ],
  },
  {
    code: 'LIMITS_OFF',
    severity: 'warning',
    fix: 'Remove SVC_RATE_LIMITS unless tests need it: only dev starts without limits.',
    find: ({ rateLimits }) =>
      rateLimits === 'off' ? ['SVC_RATE_LIMITS is off: nothing limits logins, guesses and mails.'] : [],
  },
  {
    code: 'DEV_PUBLIC',
    severity: 'error',
    fix: 'Set SVC_ENVIRONMENT to beta or prod, or the addresses to those of this machine.',
    find: ({ baseApiUrl, baseWebUrl, corsOrigins = [] }) =>
      Object.entries({
        SVC_BASE_API_URL: [baseApiUrl],
        SVC_BASE_WEB_URL: [baseWebUrl],
        SVC_CORS_ORIGINS: corsOrigins,
      })
        .filter(([, addresses]) => addresses.some((address) => address !== undefined && isPublic(address)))
        .map(
          ([variable]) =>
            `dev is for one machine, and ${variable} has an address of the internet: the secret is a published one, and mails are not sent.`,
        ),
  },
  {
    code: 'DEV_BEHIND_PROXY',
    severity: 'warning',
    fix: 'Set SVC_ENVIRONMENT to beta or prod where others reach the service; else remove SVC_TRUSTED_PROXIES.',
    find: ({ trustedProxies = [] }) =>
      trustedProxies.length === 0
        ? []
        : [
            'dev is for one machine, and SVC_TRUSTED_PROXIES names a proxy: whom it lets in meets known secrets.',
          ],
  },
];

/** Settings that are good enough for `beta`, and not for customers. */
export const CUSTOMER_RULES: Rule[] = [
  {
    code: 'MAIL_STUB',
    severity: 'error',
    fix: 'Set SVC_EMAIL_PROVIDER to mailapi, cloudmail or smtp.',
    find: ({ emailProvider }) =>
      emailProvider === 'stub' ? ['SVC_EMAIL_PROVIDER is the stub: no user would ever get a mail.'] : [],
  },
  {
    code: 'ADMINS_WITHOUT_SECOND_STEP',
    severity: 'error',
    fix: 'Remove SVC_SECOND_STEP_FROM: by default sys_admin, the highest role alone, must have a second factor.',
    find: ({ secondStepFrom }) =>
      secondStepFrom === 'none'
        ? ['SVC_SECOND_STEP_FROM is none: a stolen password alone would open every account to its thief.']
        : [],
  },
  {
    code: 'STRIPE_TEST_KEY',
    severity: 'error',
    fix: 'Take the live key from the dashboard of Stripe.',
    find: ({ stripeSecretKey }: Settings) =>
      /^[sr]k_test_/.test(stripeSecretKey ?? '')
        ? ['SVC_STRIPE_SECRET_KEY is a test key: no customer would ever be charged.']
        : [],
  },
];

function isInTheClear(databaseUrl: string): boolean {
  // Between a user and a path the database's client needs no host, which an address of the web cannot leave out.
  const address = parsedUrl(databaseUrl.replace('@/', '@localhost/'));
  if (address === null) return false;
  const host = lastOf(address, 'host') || address.hostname;
  // On a Unix socket there is a folder, or no host at all.
  const isNear = host === '' || /^(\/|%2f)/i.test(host) || isThisMachine(host);
  return !isNear && !ENCRYPTED.includes(lastOf(address, 'sslmode') ?? '');
}

/** Of a parameter that is given twice, the database's client takes the last. */
function lastOf({ searchParams }: URL, name: string): string | undefined {
  return searchParams.getAll(name).at(-1);
}

function isPublic(address: string): boolean {
  const url = parsedUrl(address);
  return url !== null && !isPrivate(url.hostname);
}
