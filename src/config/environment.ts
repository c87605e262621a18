import { IsIn, IsNotEmpty, IsOptional, Matches } from 'class-validator';
import { isCanonicalLocale } from '../validation/locale.js';
import { IsAddress, IsName, isAudience, WholeNumber } from '../validation/rules.js';
import { type DeclaredPermission, DeclaredPermissions } from './declared-permission.js';
import { type EventEndpoint, EventEndpointList } from './event-endpoint.js';
import { type FooterLink, FooterLinks } from './footer-link.js';
import { type Limit, limits } from './limit.js';
import { isLinkedPage } from './linked-pages.js';
import { type OtherProvider, OtherProviders } from './other-provider.js';
import {
  ApiKey,
  BaseUrl,
  Color,
  Confidential,
  ConfidentialUrl,
  ConnectionString,
  Credential,
  CronExpression,
  DomainName,
  Flag,
  HttpsUrl,
  HttpUrl,
  isOrigin,
  isPriceId,
  isSigningSecret,
  KeyPrefix,
  LanguageUrl,
  LimitList,
  ListOf,
  OrgUrl,
  Origin,
  Processes,
  ProxyList,
  SecretList,
  SenderAddress,
  ServerName,
  Shown,
  TokenKeys,
} from './variables.js';

export type AppMode = 'b2c' | 'b2b';
export type EmailProvider = 'mailapi' | 'cloudmail' | 'smtp' | 'stub';
type FallbackProvider = 'mailapi' | 'cloudmail' | 'smtp';

/** The colour that the pages are made with. */
export const PRODUCT_COLOR = '#3f46d6';

/** The secret in use, then those it takes the place of, which are still accepted. */
export type Secrets = readonly [string, ...string[]];

/**
 * Every setting of the service. `sessionCookieName` is read from `SVC_SESSION_COOKIE_NAME`, and so on. `npm run docs`
 * writes each comment, which is for operators, into `.env.example` and the tables of docs/configuration.md, with the
 * default unless the comment says it. A setting that is not `@Shown` is a secret.
 */
export class Environment {
  /**
   * The environment: beta or prod, or dev on a machine that nobody else can reach. With any other value the rules of
   * prod apply, and no origin is allowed. Required; `npm run dev` sets it to dev.
   */
  @Shown(IsNotEmpty({ message: 'must be dev, beta or prod' }))
  readonly environment: string;

  /** Who may join: b2c (open signup) or b2b (by invitation only). */
  @Shown(IsIn(['b2c', 'b2b']))
  readonly appMode: AppMode = 'b2c';

  /**
   * How many organizations a user can belong to, up to 100. Raise it once each client and back end names the organization
   * of its requests; docs/organizations.md shows how. A lower number removes no user from an organization.
   */
  @Shown(WholeNumber({ min: 1, max: 100 }))
  readonly orgsPerUser: number = 1;

  /**
   * Where the application shows an organization, with {org} for its id, such as https://app.example.com/o/{org}: the pages
   * link to it. Its origin is one that may call the service. Default none.
   */
  @Shown(IsOptional(), OrgUrl())
  readonly orgUrl?: string;

  /**
   * Where mailed links lead: the address of the single-page application, or SVC_BASE_API_URL with /ui for the service's
   * own pages. Required; in dev http://localhost:3000/ui.
   */
  @Shown(BaseUrl())
  readonly baseWebUrl: string;

  /** Address of this service as its clients see it. Required; in dev http://localhost:3000. */
  @Shown(BaseUrl())
  readonly baseApiUrl: string;

  /**
   * Origins whose pages may call the service, comma-separated. In beta and prod exactly one, by default that of
   * SVC_BASE_WEB_URL; dev adds them to ports 5173 and 4173 of localhost.
   */
  @Shown(ListOf(isOrigin, 'origins, such as https://app.example.com'))
  readonly corsOrigins: string[] = [];

  /**
   * Whether the service serves its own pages at /ui and its console at /admin: on or off.
   * Default on in dev, beta and prod.
   */
  @Shown(IsOptional(), IsIn(['on', 'off']))
  readonly pages?: 'on' | 'off';

  /**
   * Pages that the application at SVC_BASE_WEB_URL has of its own, such as login,signup,reset-password, separated by commas.
   * Links to any other lead to /ui. Default all of them.
   */
  @Shown(IsOptional(), ListOf(isLinkedPage, 'pages, such as login,signup'))
  readonly webPages?: string[];

  /**
   * The languages of pages and mails, as tags with commas between, such as en,de: the first is that of readers of whom nothing is known.
   * Default en; in dev all that there are, and two that only show what other languages do.
   */
  @Shown(IsOptional(), ListOf(isCanonicalLocale, 'languages, such as en,de', 30))
  readonly locales?: string[];

  /** A folder with texts, a frame of mails and a style sheet of your own; docs/words.md shows what may be in it. Default none. */
  @Shown(IsOptional(), IsNotEmpty())
  readonly messagesDir?: string;

  /** The address to listen on; in a container 0.0.0.0. */
  @Shown(IsNotEmpty())
  readonly host: string = '127.0.0.1';

  /** The port to listen on; 0 takes a free one. */
  @Shown(WholeNumber({ min: 0, max: 65_535 }))
  readonly port: number = 3000;

  /** Processes that share the port, to use the cores of one machine: a number, or auto for one per core. */
  @Shown(Processes())
  readonly workers: number = 1;

  /**
   * Addresses or CIDR blocks of the proxies in front, comma-separated, or `none` where clients reach the service directly.
   * The service trusts no other X-Forwarded-For, X-Request-Id or traceparent. Unset, it trusts none, and does not take the
   * address of a request for that of its client where an organization admits networks.
   */
  @Shown(IsOptional(), ProxyList())
  readonly trustedProxies?: string[];

  /** Seconds within which a request must arrive, headers and body. */
  @Shown(WholeNumber({ min: 1, max: 120 }))
  readonly requestTimeoutSeconds: number = 20;

  /** Seconds before the service answers a request still in progress with 503; fewer than the proxy waits. */
  @Shown(WholeNumber({ min: 1, max: 600 }))
  readonly handlerTimeoutSeconds: number = 35;

  /** Seconds to keep an idle connection: longer than the proxy keeps it, which is often 60 and sometimes 600. */
  @Shown(WholeNumber({ min: 1, max: 3600 }))
  readonly keepAliveSeconds: number = 75;

  /**
   * Seconds for which a process still takes requests after SIGTERM, with /health/ready at 503: as long as the load
   * balancer takes to notice. Default 1; in dev 0.
   */
  @Shown(WholeNumber({ min: 0, max: 60 }))
  readonly stopDelaySeconds: number = 1;

  /** The PostgreSQL to use, postgres://user:password@host:5432/database. Required; if unset, dev starts its own. */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgres:// address' })
  readonly databaseUrl?: string;

  /**
   * The same database, as the role that owns the tables. Only npm run cli -- migrate reads it, so the process that
   * serves must not have it. Default SVC_DATABASE_URL.
   */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgres:// address' })
  readonly databaseOwnerUrl?: string;

  /** Maximum size of one process's PostgreSQL connection pool. */
  @Shown(WholeNumber({ min: 2, max: 500 }))
  readonly databasePoolSize: number = 10;

  /** Whether the service prepares statements: true, or false behind PgBouncer before 1.21 in transaction mode. */
  @Shown(Flag())
  readonly databasePrepare: boolean = true;

  /** Where dev keeps the data of its own PostgreSQL. */
  @Shown(IsNotEmpty())
  readonly dataDir: string = '.data';

  /** Name of the session cookie. */
  @Shown(Matches(/^[\w!#$%&'*.^`|~+-]+$/, { message: 'must be a cookie name (RFC 6265 token)' }))
  readonly sessionCookieName: string = 'session_id';

  /** Seconds a session and its cookie live; 86400 is a day. */
  @Shown(WholeNumber({ min: 60, max: 34_560_000 }))
  readonly sessionCookieMaxAge: number = 86_400;

  /** Minimum length of a new password, in characters. */
  @Shown(WholeNumber({ min: 8, max: 64 }))
  readonly passwordMinLength: number = 8;

  /** bcrypt's cost: each step doubles the work of a login, and of a guess; 12 takes about a quarter of a second. */
  @Shown(WholeNumber({ min: 4, max: 16 }))
  readonly bcryptCost: number = 12;

  /**
   * Whether the service looks new passwords up in lists of stolen ones: on or off. Default off in dev, on elsewhere.
   */
  @Shown(IsOptional(), IsIn(['on', 'off']))
  readonly breachCheck?: 'on' | 'off';

  /** Base URL of Pwned Passwords; without access to the internet, that of a mirror. */
  @Shown(BaseUrl())
  readonly breachBaseUrl: string = 'https://api.pwnedpasswords.com';

  /**
   * Domain that passkeys belong to: the host of SVC_BASE_WEB_URL, or a parent of it. With example.com for
   * https://app.example.com, passkeys outlive a move of the application. Changing it makes every passkey useless.
   * Default the host of SVC_BASE_WEB_URL.
   */
  @Shown(IsOptional(), DomainName())
  readonly passkeyRpId?: string;

  /**
   * Lowest role that must have a second factor: readonly (everyone), member (everyone whom no SYSTEM_ADMIN made READONLY),
   * org_admin, sys_admin, or none. A user who has none sets one up at the next login; one whose other organizations do not
   * ask for it, before they enter the one that does.
   * Default none in dev, sys_admin elsewhere; prod refuses none.
   */
  @Shown(IsOptional(), IsIn(['none', 'readonly', 'member', 'org_admin', 'sys_admin']))
  readonly secondStepFrom?: 'none' | 'readonly' | 'member' | 'org_admin' | 'sys_admin';

  /**
   * Whether users may log in with a code that is mailed to them, without a password: on or off. Who reads the mail of an
   * account then needs nothing else to log in to it, unless it takes a second step.
   */
  @Shown(IsIn(['on', 'off']))
  readonly emailCodeLogin: 'on' | 'off' = 'off';

  /**
   * Whether a SYSTEM_ADMIN can act for a user, to see what that user sees: on or off. docs/acting.md says within which bounds,
   * and how the owner learns of it. Turned off, it ends for those who act.
   */
  @Shown(IsIn(['on', 'off']))
  readonly acting: 'on' | 'off' = 'off';

  /** Whether the limits below count: on, or off for load tests in dev. */
  @Shown(IsIn(['on', 'off']))
  readonly rateLimits: 'on' | 'off' = 'on';

  /**
   * Failed logins per account and time (s, m, h or d): those from each device it knows, and those from all others
   * together. Separate several limits with commas.
   * Reaching the shortest starts a wait, which doubles each time.
   */
  @Shown(LimitList())
  readonly limitLoginPerAccount: Limit[] = limits('10/15m, 100/1d');

  /**
   * Failed logins from a network (an IPv4 address, or an IPv6 /64), except from devices the account knows. Like every
   * limit per network, it is eight times as high for an IPv6 /48.
   */
  @Shown(LimitList())
  readonly limitLoginPerNetwork: Limit[] = limits('100/15m');

  /**
   * Logins per account, including successful ones: those from all devices it knows, and those from all others. Keep it
   * higher than the limit on failed logins over the same time.
   */
  @Shown(LimitList())
  readonly limitAttemptPerAccount: Limit[] = limits('60/1h');

  /** Signups per network. */
  @Shown(LimitList())
  readonly limitSignupPerNetwork: Limit[] = limits('30/1h');

  /** Addresses verified, accounts secured and wrong codes to log in with, per network. */
  @Shown(LimitList())
  readonly limitVerifyPerNetwork: Limit[] = limits('60/1h');

  /** Verification mails requested again, per network. */
  @Shown(LimitList())
  readonly limitResendPerNetwork: Limit[] = limits('30/1h');

  /** Password mails requested, per network. */
  @Shown(LimitList())
  readonly limitForgotPerNetwork: Limit[] = limits('30/1h');

  /** Codes to log in with requested, per network. */
  @Shown(LimitList())
  readonly limitEmailCodePerNetwork: Limit[] = limits('30/1h');

  /** Passwords set through a mailed link, per network. */
  @Shown(LimitList())
  readonly limitResetPerNetwork: Limit[] = limits('60/1h');

  /**
   * Password mails per address, which nothing else counts against. Keep it to an hour, which is how long a link lives:
   * a person who is refused then has a link that still works.
   */
  @Shown(LimitList())
  readonly limitForgotPerAddress: Limit[] = limits('3/1h');

  /**
   * Mails per address for signup, resend, change of address, invitations and codes to log in with, from all who ask. Each
   * kind has a count of its own, as have codes that devices known to the account ask for. The tags of a mailbox
   * (ada+news@…) count as one address.
   */
  @Shown(LimitList())
  readonly limitMailPerAddress: Limit[] = limits('5/1h, 20/1d');

  /**
   * Wrong passwords and passkeys per session, and twice as many for all sessions of a user together; right ones per
   * user, from all sessions together.
   */
  @Shown(LimitList())
  readonly limitPasswordPerUser: Limit[] = limits('10/15m, 100/1d');

  /** Login challenges for passkeys, and logins with a passkey, per network. */
  @Shown(LimitList())
  readonly limitPasskeyPerNetwork: Limit[] = limits('120/15m');

  /**
   * Wrong codes at the second step of a login, per account: those from all devices it knows, and those from all others.
   * Reaching the shortest starts a wait, which doubles each time, and mails the owner. Wrong codes within sessions have
   * counts of their own: per session, and twice as many for all sessions of a user together.
   */
  @Shown(LimitList())
  readonly limitCodePerAccount: Limit[] = limits('5/15m, 30/1d');

  /** Passkeys and authenticator apps added and removed, and recovery codes made, per user. */
  @Shown(LimitList())
  readonly limitFactorPerUser: Limit[] = limits('30/1h');

  /**
   * Changes of names, roles, standing and rules, resets of second factors, and whatever else an admin does to other
   * users and to the service, per user who acts. Each adds to the audit log.
   */
  @Shown(LimitList())
  readonly limitChangePerUser: Limit[] = limits('300/1h');

  /** Copies that a user makes of their own account. */
  @Shown(LimitList())
  readonly limitExportPerUser: Limit[] = limits('1/1h');

  /** Logins started at identity providers, per network. */
  @Shown(LimitList())
  readonly limitIdpPerNetwork: Limit[] = limits('60/15m');

  /** Logins that return from identity providers, per network. */
  @Shown(LimitList())
  readonly limitCallbackPerNetwork: Limit[] = limits('60/15m');

  /** Invitations viewed, accepted or declined, per network. */
  @Shown(LimitList())
  readonly limitAcceptPerNetwork: Limit[] = limits('60/1h');

  /** Invitations sent or resent, and test mails to oneself, per user. */
  @Shown(LimitList())
  readonly limitInvitePerUser: Limit[] = limits('60/1h');

  /** Tokens for back ends issued, per user. */
  @Shown(LimitList())
  readonly limitTokenPerUser: Limit[] = limits('600/1h');

  /** Organizations founded, per user. */
  @Shown(LimitList())
  readonly limitFoundPerUser: Limit[] = limits('5/1d');

  /** Wrong secrets presented to /cron and /metrics, per network; the right one is never refused. */
  @Shown(LimitList())
  readonly limitSecretPerNetwork: Limit[] = limits('10/15m');

  /** Checkouts started and portals opened, per user; each calls Stripe. */
  @Shown(LimitList())
  readonly limitCheckoutPerUser: Limit[] = limits('20/1h');

  /** Readings of prices, per user; one that was not read within a minute calls Stripe. */
  @Shown(LimitList())
  readonly limitPricePerUser: Limit[] = limits('120/1h');

  /** Summaries requested, per user; each calls the AI provider. */
  @Shown(LimitList())
  readonly limitAiPerUser: Limit[] = limits('10/1h');

  /** The bearer token for /cron; without it /cron is 404. Make one with: openssl rand -hex 32 */
  @IsOptional()
  @SecretList()
  readonly cronSecret?: Secrets;

  /** Days the service keeps a session after it has expired. */
  @Shown(WholeNumber({ min: 0, max: 3650 }))
  readonly cronSessionRetentionDays: number = 7;

  /**
   * Days the service keeps the record of a mail after sending it or giving it up. It erases the content of a sent mail
   * at once.
   */
  @Shown(WholeNumber({ min: 0, max: 3650 }))
  readonly cronMailRetentionDays: number = 30;

  /** Days the service keeps the record of an event's delivery after sending it or giving it up. */
  @Shown(WholeNumber({ min: 0, max: 3650 }))
  readonly cronDeliveryRetentionDays: number = 30;

  /** Days the service keeps an audit event. */
  @Shown(WholeNumber({ min: 1, max: 3650 }))
  readonly cronAuditRetentionDays: number = 400;

  /** When the service prunes by itself, as a cron expression in UTC, such as 0 3 * * *. Default off. */
  @Shown(IsOptional(), CronExpression())
  readonly cronSchedule?: string;

  /** Hours without a successful prune after which the metrics and doctor call the cron late. */
  @Shown(WholeNumber({ min: 1, max: 8760 }))
  readonly cronLateAfterHours: number = 26;

  /** Client id at the identity provider; without it users log in only through the providers of SVC_IDP_OTHERS. */
  @Shown(IsOptional())
  readonly idpClientId?: string;

  /** Client secret at the identity provider, from its console. */
  @IsOptional()
  readonly idpClientSecret?: string;

  /** Authorization endpoint of the identity provider. */
  @Shown(HttpUrl())
  readonly idpAuthorizationUrl: string = 'https://accounts.google.com/o/oauth2/v2/auth';

  /** Token endpoint of the identity provider. */
  @Shown(HttpUrl())
  readonly idpTokenUrl: string = 'https://oauth2.googleapis.com/token';

  /** User info endpoint of the identity provider, which says who the user is. */
  @Shown(HttpUrl())
  readonly idpUserinfoUrl: string = 'https://openidconnect.googleapis.com/v1/userinfo';

  /** The scopes to request from the identity provider. */
  @Shown(IsNotEmpty())
  readonly idpScope: string = 'openid email profile';

  /**
   * The identity provider's issuer identifier. Its answers carry it (RFC 9207), and identities are stored under it.
   * Default https://accounts.google.com; required with endpoints other than Google's.
   */
  @Shown(IsNotEmpty())
  readonly idpIssuer: string = 'https://accounts.google.com';

  /**
   * Whether the identity provider has verified every address that it passes on without email_verified. Set true only
   * for an OAuth provider without OpenID Connect that shows verified addresses only. An email_verified of false always
   * counts.
   */
  @Shown(Flag())
  readonly idpVouchesEmails: boolean = false;

  /**
   * What the login page calls the identity provider. Default Google, or the host of SVC_IDP_ISSUER if that is another.
   */
  @Shown(IsOptional(), IsName())
  readonly idpTitle?: string;

  /** Whether the identity provider itself asks for a second factor, so that this service need not. */
  @Shown(Flag())
  readonly idpIsStrong: boolean = false;

  /**
   * Whether each ID token of the identity provider says when its user logged in there (auth_time). A login without that is
   * then refused. docs/identity-provider.md
   */
  @Shown(Flag())
  readonly idpSaysAuthTime: boolean = false;

  /**
   * Other identity providers, each with a name, a title and a redirect URI of its own: a JSON list. It holds their
   * client secrets, so write it into a file, and name that file in SVC_IDP_OTHERS_FILE. docs/identity-provider.md
   * explains its entries.
   */
  @OtherProviders()
  readonly idpOthers: OtherProvider[] = [];

  /**
   * The main secret: signs logins through identity providers, encrypts waiting mail and the secrets of authenticator
   * apps, and protects audit events. Required outside dev. To rotate it, see Rotating secrets in docs/configuration.md.
   * Make one with: openssl rand -base64 32
   */
  @SecretList()
  readonly jwtSecretKey: Secrets;

  /**
   * The keys that sign tokens for back ends on other hosts, comma-separated; the first signs. Without one there are no
   * tokens. To rotate one, see docs/backends.md. Make one with: npm run cli -- token-key
   */
  @IsOptional()
  @TokenKeys()
  readonly tokenKeys?: Secrets;

  /** The names of the back ends that tokens are for, comma-separated. Required with SVC_TOKEN_KEYS. */
  @Shown(ListOf(isAudience, 'names of back ends, such as reports'))
  readonly tokenAudiences: string[] = [];

  /** Seconds a token is valid, 60 to 300, even when its session ends before. */
  @Shown(WholeNumber({ min: 60, max: 300 }))
  readonly tokenMaxAge: number = 120;

  /**
   * The back ends that events are sent to, each with a name, a url, its secrets and the types it wants: a JSON list of
   * at most eight. It holds secrets, so write it into a file, and name that file in SVC_WEBHOOKS_FILE. docs/events.md
   * explains its entries.
   */
  @EventEndpointList()
  readonly webhooks: EventEndpoint[] = [];

  /** Seconds an endpoint of SVC_WEBHOOKS may take to answer, 1 to 25. */
  @Shown(WholeNumber({ min: 1, max: 25 }))
  readonly webhookTimeoutSeconds: number = 15;

  /**
   * What the product lets some of its users do, as its back ends and proxies ask for it: a JSON list of permissions, each with
   * a name, a title, and the least role that has it. docs/permissions.md shows one. Default none.
   */
  @Shown(DeclaredPermissions())
  readonly permissions: DeclaredPermission[] = [];

  /** What the secrets of keys begin with: the name of the product, 2 to 16 lower-case letters and digits. */
  @Shown(KeyPrefix())
  readonly keyPrefix: string = 'latchkey';

  /** Days after which each secret of a key expires at the latest. Default never, unless a key is made with days of its own. */
  @Shown(IsOptional(), WholeNumber({ min: 1, max: 3650 }))
  readonly keyMaxDays?: number;

  /** Requests a minute that a key may send which has no limit of its own. Default no limit. */
  @Shown(IsOptional(), WholeNumber({ min: 1, max: 100_000 }))
  readonly keyPerMinute?: number;

  /** The name of the product in mails and pages. */
  @Shown(IsName())
  readonly productName: string = 'Latchkey';

  /** The support address given in mails and pages. Default none. */
  @Shown(IsOptional(), IsAddress())
  readonly supportEmail?: string;

  /** The colour of the buttons in mails and pages, as #rrggbb; links and focus rings get shades of it. */
  @Shown(Color())
  readonly productColor: string = PRODUCT_COLOR;

  /** The product's logo for the pages, an https:// address. Default none: they show the name and a built-in mark. */
  @Shown(IsOptional(), HttpsUrl())
  readonly productLogoUrl?: string;

  /** The product's terms of service, which the pages link to; {language} in it stands for the tag of their language. Default none. */
  @Shown(IsOptional(), LanguageUrl())
  readonly termsUrl?: string;

  /** What the product says about privacy, which the pages link to; {language} in it stands for the tag of their language. Default none. */
  @Shown(IsOptional(), LanguageUrl())
  readonly privacyUrl?: string;

  /**
   * Links at the foot of all pages, and of mails with "mails": true, such as that to an imprint: a JSON list of at most five, each
   * with a url and words by languages. docs/pages.md shows one. Default none.
   */
  @Shown(FooterLinks())
  readonly footerLinks: FooterLink[] = [];

  /**
   * The mail provider: mailapi, cloudmail, smtp, or stub, which logs mail to the console and in dev shows it at
   * /dev/mail. Required; in dev stub.
   */
  @Shown(IsIn(['mailapi', 'cloudmail', 'smtp', 'stub']))
  readonly emailProvider: EmailProvider;

  /** The mail provider to use while that one is unavailable: mailapi, cloudmail or smtp. Default none: mail waits. */
  @Shown(IsOptional(), IsIn(['mailapi', 'cloudmail', 'smtp']))
  readonly emailFallbackProvider?: FallbackProvider;

  /** Seconds a mail provider may take to answer for each mail, at most 25. */
  // Twice this is less than the lease of the outbox.
  @Shown(WholeNumber({ min: 1, max: 25 }))
  readonly emailTimeoutSeconds: number = 10;

  /** mailapi: SendGrid API key, from its console, with permission to send mail. Required with mailapi. */
  @IsOptional()
  @ApiKey()
  readonly mailapiApiKey?: string;

  /** mailapi: sender address, verified in SendGrid's console. Required with mailapi. */
  @Shown(IsOptional(), SenderAddress())
  readonly mailapiSenderAddress?: string;

  /** mailapi: sender name, as mail clients show it. */
  @Shown(IsOptional(), IsName())
  readonly mailapiSenderName?: string;

  /** mailapi: base URL of the API; EU accounts use https://api.eu.sendgrid.com. */
  @Shown(ConfidentialUrl())
  readonly mailapiBaseUrl: string = 'https://api.sendgrid.com';

  /**
   * cloudmail: connection string of Azure Communication Services, endpoint=https://...;accesskey=..., from its portal.
   * Required with cloudmail.
   */
  @IsOptional()
  @ConnectionString()
  readonly cloudmailConnectionString?: string;

  /** cloudmail: sender address, in a domain linked to that resource. Required with cloudmail. */
  @Shown(IsOptional(), SenderAddress())
  readonly cloudmailSenderAddress?: string;

  /**
   * smtp: host name or IP address of the SMTP server, without a port. Its certificate must name it. Required with smtp.
   */
  @Shown(IsOptional(), ServerName())
  readonly smtpHost?: string;

  /** smtp: port of the server. Default 587; 465 with implicit TLS, 25 without TLS. */
  @Shown(IsOptional(), WholeNumber({ min: 1, max: 65_535 }))
  readonly smtpPort?: number;

  /**
   * smtp: how TLS begins: starttls, implicit, or off, for a server on this machine only. Default starttls; on port 465
   * implicit.
   */
  @Shown(IsOptional(), IsIn(['starttls', 'implicit', 'off']))
  readonly smtpTls?: 'starttls' | 'implicit' | 'off';

  /** smtp: user name at the server. Default none: the server must know the service by its address. */
  @IsOptional()
  @Credential()
  readonly smtpUser?: string;

  /** smtp: password of that user. Required with a user. */
  @IsOptional()
  @Credential()
  readonly smtpPassword?: string;

  /** smtp: sender address, which the server must allow the user to send from. Required with smtp. */
  @Shown(IsOptional(), SenderAddress())
  readonly smtpSenderAddress?: string;

  /** smtp: sender name, as mail clients show it. */
  @Shown(IsOptional(), IsName())
  readonly smtpSenderName?: string;

  /** Secret key of the Stripe account (sk_…), or a restricted one (rk_…); without it billing is off. */
  @IsOptional()
  @Matches(/^(sk|rk)_\w+$/, { message: 'must be a secret key (sk_…) or a restricted one (rk_…)' })
  readonly stripeSecretKey?: string;

  /** Signing secret of Stripe's webhook (whsec_…); two, comma-separated, while it rotates. Required with a key. */
  @ListOf(isSigningSecret, 'one signing secret (whsec_…), or two while one rotates', 2)
  readonly stripeWebhookSecret: string[] = [];

  /** The prices on sale, comma-separated. Default every active price. */
  @Shown(ListOf(isPriceId, 'price ids'))
  readonly stripePriceIds: string[] = [];

  /** Base URL of Stripe's API; another one for a test server. */
  @Shown(Origin(), Confidential())
  readonly stripeApiBase: string = 'https://api.stripe.com';

  /** Days a past-due subscription still counts as active, from the day its first unpaid invoice was due. */
  @Shown(WholeNumber({ min: 0, max: 90 }))
  readonly stripePastDueGraceDays: number = 7;

  /** Days of a trial, once for each payer, where the price's metadata trial_days says nothing. Default none. */
  @Shown(IsOptional(), WholeNumber({ min: 1, max: 730 }))
  readonly stripeTrialDays?: number;

  /** Whether a trial begins with a card: required, or optional, where it ends without one with the trial. */
  @Shown(IsIn(['required', 'optional']))
  readonly stripeTrialCard: 'required' | 'optional' = 'required';

  /** Whether Stripe's page takes promotion codes: on or off. */
  @Shown(IsIn(['on', 'off']))
  readonly stripePromotionCodes: 'on' | 'off' = 'off';

  /** Whether Stripe adds tax, asks for tax ids, and keeps name and address at the customer: on or off. */
  @Shown(IsIn(['on', 'off']))
  readonly stripeAutomaticTax: 'on' | 'off' = 'off';

  /** Whether Stripe's page asks for a billing address: auto, where it needs one, or required. */
  @Shown(IsIn(['auto', 'required']))
  readonly stripeBillingAddress: 'auto' | 'required' = 'auto';

  /**
   * Whether admins, or the user who pays alone, are mailed once when a payment is missing: on or off, where Stripe's own mails
   * do it.
   */
  @Shown(IsIn(['on', 'off']))
  readonly stripeDunningMail: 'on' | 'off' = 'on';

  /** API key of the AI provider; without it the AI features are off. */
  @IsOptional()
  @ApiKey()
  readonly aiApiKey?: string;

  /** Base URL of the AI provider, over HTTPS or on this machine: any server with an OpenAI-compatible API. */
  @Shown(ConfidentialUrl())
  readonly aiBaseUrl: string = 'https://api.openai.com/v1';

  /** The model to use, by the provider's name for it. */
  @Shown(IsNotEmpty())
  readonly aiModel: string = 'gpt-4.1-mini';

  /** Seconds the AI provider may take for the whole answer, at most 30 and less than SVC_HANDLER_TIMEOUT_SECONDS. */
  @Shown(WholeNumber({ min: 1, max: 30 }))
  readonly aiTimeoutSeconds: number = 20;

  /** Whether /docs and /openapi.json are served: on or off. Default on in dev and beta, off elsewhere. */
  @Shown(IsOptional(), IsIn(['on', 'off']))
  readonly docs?: 'on' | 'off';

  /** Log level: fatal, error, warn, info, debug, trace or silent. */
  @Shown(IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']))
  readonly logLevel: string = 'info';

  /**
   * Whether each audit event is also a line of the log, at level info, with the address and browser of its client: on
   * or off.
   */
  @Shown(IsIn(['on', 'off']))
  readonly auditLog: 'on' | 'off' = 'on';

  /** The bearer token for /metrics, for Prometheus; without it /metrics is 404. Make one with: openssl rand -hex 32 */
  @IsOptional()
  @SecretList()
  readonly metricsToken?: Secrets;
}

type Named<Setting> = Setting extends `limit${infer Name}` ? Uncapitalize<Name> : never;

/** A limit, named after its setting: that of `signupPerNetwork` is `SVC_LIMIT_SIGNUP_PER_NETWORK`. */
export type LimitName = Named<keyof Environment>;

/** A limit that is counted by network. */
export type NetworkLimit = Extract<LimitName, `${string}PerNetwork`>;
