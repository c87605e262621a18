import { IsIn, IsNotEmpty, IsOptional, Matches } from 'class-validator';
import { IsAddress, IsName, isAudience, WholeNumber } from '../validation/rules.js';
import { type EventEndpoint, EventEndpointList } from './event-endpoint.js';
import { type OtherProvider, OtherProviders } from './other-provider.js';
import { type Quota, quotas } from './quota.js';
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
  isAddressBlock,
  isOrigin,
  isPriceId,
  isSigningSecret,
  ListOf,
  Origin,
  Processes,
  Quotas,
  SecretList,
  SenderAddress,
  ServerName,
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
 * Every setting of the service. `sessionCookieName` is read from `SVC_SESSION_COOKIE_NAME`, and so on;
 * `.env.example` keeps the same order.
 */
export class Environment {
  /** `dev`, `beta` or `prod`. Any other value gets the rules of `prod` and no CORS origin. */
  @IsNotEmpty({ message: 'must be dev, beta or prod' })
  readonly environment: string;

  /** `b2c`: anyone may sign up. `b2b`: by invitation only, signup answers 404. */
  @IsIn(['b2c', 'b2b'])
  readonly appMode: AppMode = 'b2c';

  /**
   * Where mailed links lead: the address of the single-page application, or `{baseApiUrl}/ui` for the service's own pages.
   */
  @BaseUrl()
  readonly baseWebUrl: string;

  /** Address of this service as its clients see it. */
  @BaseUrl()
  readonly baseApiUrl: string;

  /** Origins allowed to call with credentials; in `beta` and `prod` exactly one, by default that of `baseWebUrl`. */
  @ListOf(isOrigin, 'origins, such as https://app.example.com')
  readonly corsOrigins: string[] = [];

  /** Whether the service serves its own pages at `/ui` and its console at `/admin`; by default in `dev`, `beta` and `prod`. */
  @IsOptional()
  @IsIn(['on', 'off'])
  readonly pages?: 'on' | 'off';

  /** The address the service listens on. */
  @IsNotEmpty()
  readonly host: string = '127.0.0.1';

  /** The port the service listens on; 0 takes a free one. */
  @WholeNumber({ min: 0, max: 65_535 })
  readonly port: number = 3000;

  /** Processes that share the port; `auto`: one a core. */
  @Processes()
  readonly workers: number = 1;

  /** Address blocks of the proxies in front, whose X-Forwarded-For is believed. */
  @ListOf(isAddressBlock, 'IP addresses or CIDR blocks')
  readonly trustedProxies: string[] = [];

  /** Seconds within which a request must have arrived, headers and body. */
  @WholeNumber({ min: 1, max: 120 })
  readonly requestTimeoutSeconds: number = 20;

  /** Seconds after which a request that is still at work is answered 503. */
  @WholeNumber({ min: 1, max: 600 })
  readonly handlerTimeoutSeconds: number = 35;

  /**
   * Seconds the service keeps an idle connection: longer than the proxy in front does, which would otherwise send into
   * a closed one.
   */
  @WholeNumber({ min: 1, max: 3600 })
  readonly keepAliveSeconds: number = 75;

  /**
   * Seconds a process still takes requests after SIGTERM, while `/health/ready` sends them elsewhere. The default of one
   * is for those that have reached the machine and not yet the process; `dev` does not wait.
   */
  @WholeNumber({ min: 0, max: 60 })
  readonly stopDelaySeconds: number = 1;

  /** `postgres://…`; when unset, `dev` starts a PostgreSQL of its own. */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgres:// address' })
  readonly databaseUrl?: string;

  /** The address that `npm run cli -- migrate` uses, where another role owns the tables; the service never does. */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgres:// address' })
  readonly databaseOwnerUrl?: string;

  /** Connections to PostgreSQL that one process keeps at most. */
  @WholeNumber({ min: 2, max: 500 })
  readonly databasePoolSize: number = 10;

  /**
   * Whether each connection prepares a statement once; a pooler that shares connections among clients may not support
   * that.
   */
  @Flag()
  readonly databasePrepare: boolean = true;

  /** Where `dev` keeps the data of its own PostgreSQL. */
  @IsNotEmpty()
  readonly dataDir: string = '.data';

  /** Name of the session cookie. */
  @Matches(/^[\w!#$%&'*.^`|~+-]+$/, { message: 'must be a cookie name (RFC 6265 token)' })
  readonly sessionCookieName: string = 'session_id';

  /** Seconds a session and its cookie live. */
  @WholeNumber({ min: 60, max: 34_560_000 })
  readonly sessionCookieMaxAge: number = 86_400;

  /** Code points a new password has at least. */
  @WholeNumber({ min: 8, max: 64 })
  readonly passwordMinLength: number = 8;

  /** bcrypt's cost: each step doubles the work of a login, and of a guess. */
  @WholeNumber({ min: 4, max: 16 })
  readonly bcryptCost: number = 12;

  /** Whether a new password is looked up in lists of stolen ones; by default everywhere but in `dev`. */
  @IsOptional()
  @IsIn(['on', 'off'])
  readonly breachCheck?: 'on' | 'off';

  /** Where the lists of Pwned Passwords are; elsewhere for a mirror. */
  @BaseUrl()
  readonly breachBaseUrl: string = 'https://api.pwnedpasswords.com';

  /** The domain that passkeys are made for; by default the host of `baseWebUrl`. Another one orphans every passkey. */
  @IsOptional()
  @DomainName()
  readonly passkeyRpId?: string;

  /**
   * The lowest role that must have a second factor: `readonly`, `member`, `org_admin` or `sys_admin`; `none` asks for
   * none. By default `none` in `dev`, and `sys_admin` elsewhere.
   */
  @IsOptional()
  @IsIn(['none', 'readonly', 'member', 'org_admin', 'sys_admin'])
  readonly secondStepFrom?: 'none' | 'readonly' | 'member' | 'org_admin' | 'sys_admin';

  /** Whether the limits below count; `off` is for load tests in `dev`. */
  @IsIn(['on', 'off'])
  readonly rateLimits: 'on' | 'off' = 'on';

  /** Failed logins of an account: those of each device it knows, and those of all others together. */
  @Quotas()
  readonly limitLoginPerAccount: Quota[] = quotas('10/15m, 100/1d');

  /**
   * Failed logins from a network (an IPv4 address, or an IPv6 /64), except from devices that the account knows. As all
   * limits of a network, it is eight times as much for an IPv6 /48.
   */
  @Quotas()
  readonly limitLoginPerNetwork: Quota[] = quotas('100/15m');

  /** Logins of an account, also those that succeed: those of all devices it knows, and those of all others. */
  @Quotas()
  readonly limitAttemptPerAccount: Quota[] = quotas('60/1h');

  /** Signups from a network. */
  @Quotas()
  readonly limitSignupPerNetwork: Quota[] = quotas('30/1h');

  /** Verifications of an address, and accounts secured, from a network. */
  @Quotas()
  readonly limitVerifyPerNetwork: Quota[] = quotas('60/1h');

  /** Verification mails asked for again from a network. */
  @Quotas()
  readonly limitResendPerNetwork: Quota[] = quotas('30/1h');

  /** Password mails asked for from a network. */
  @Quotas()
  readonly limitForgotPerNetwork: Quota[] = quotas('30/1h');

  /** Passwords set with a mailed link from a network. */
  @Quotas()
  readonly limitResetPerNetwork: Quota[] = quotas('60/1h');

  /**
   * Password mails to one address. The owner is never without a good link: each is mailed, and lives for an hour, which
   * is why the limit is of an hour.
   */
  @Quotas()
  readonly limitForgotPerAddress: Quota[] = quotas('3/1h');

  /**
   * Other mails to one address that others ask for, invitations included. Each kind counts apart; of a kind all requests
   * for the address count together, and those for all tags of a mailbox.
   */
  @Quotas()
  readonly limitMailPerAddress: Quota[] = quotas('5/1h, 20/1d');

  /**
   * Times a session may state a wrong current password, or use a wrong passkey: as often as a stranger may log in. All
   * sessions of a user together may do twice as much. Right ones count for the user.
   */
  @Quotas()
  readonly limitPasswordPerUser: Quota[] = quotas('10/15m, 100/1d');

  /** Passkeys asked for, and logins with one, from a network. */
  @Quotas()
  readonly limitPasskeyPerNetwork: Quota[] = quotas('120/15m');

  /**
   * Wrong codes of an account, as the second step of a login: those of all devices it knows, and those of all others.
   * Apart from them, those of each session, and twice as many of all sessions together.
   */
  @Quotas()
  readonly limitCodePerAccount: Quota[] = quotas('5/15m, 30/1d');

  /** Second factors added and removed, and recovery codes made, by one user. */
  @Quotas()
  readonly limitFactorPerUser: Quota[] = quotas('30/1h');

  /** Names, roles and rules changed, factors reset, and what else an admin does to others, by one user. Each is recorded. */
  @Quotas()
  readonly limitChangePerUser: Quota[] = quotas('300/1h');

  /** Logins through the identity provider begun from a network. */
  @Quotas()
  readonly limitIdpPerNetwork: Quota[] = quotas('60/15m');

  /** Logins that come back from the identity provider to a network. */
  @Quotas()
  readonly limitCallbackPerNetwork: Quota[] = quotas('60/15m');

  /** Invitations looked at, accepted or declined from a network. */
  @Quotas()
  readonly limitAcceptPerNetwork: Quota[] = quotas('60/1h');

  /** Invitations sent by one user, again or for the first time. */
  @Quotas()
  readonly limitInvitePerUser: Quota[] = quotas('60/1h');

  /** Tokens for back ends, asked for by one user. */
  @Quotas()
  readonly limitTokenPerUser: Quota[] = quotas('600/1h');

  /** Organizations founded by one user. */
  @Quotas()
  readonly limitFoundPerUser: Quota[] = quotas('5/1d');

  /** Wrong secrets presented to `/cron` and `/metrics` from a network. */
  @Quotas()
  readonly limitSecretPerNetwork: Quota[] = quotas('10/15m');

  /** Checkouts begun, and portals opened, by one user: each asks Stripe. */
  @Quotas()
  readonly limitCheckoutPerUser: Quota[] = quotas('20/1h');

  /** Summaries asked for by one user: each asks the AI provider. */
  @Quotas()
  readonly limitAiPerUser: Quota[] = quotas('10/1h');

  /** The secret that a caller of `/cron` presents; without it the path is 404. */
  @IsOptional()
  @SecretList()
  readonly cronSecret?: Secrets;

  /** Days an expired session is kept before it is pruned. */
  @WholeNumber({ min: 0, max: 3650 })
  readonly cronSessionRetentionDays: number = 7;

  /** Days the service keeps a mail that it has sent or given up; a sent one without its content. */
  @WholeNumber({ min: 0, max: 3650 })
  readonly cronMailRetentionDays: number = 30;

  /** Days a delivery to a webhook is kept once it is sent or given up. */
  @WholeNumber({ min: 0, max: 3650 })
  readonly cronDeliveryRetentionDays: number = 30;

  /** Days an audit event is kept before it is pruned. */
  @WholeNumber({ min: 1, max: 3650 })
  readonly cronAuditRetentionDays: number = 400;

  /** When the service prunes by itself, in UTC; off when unset. */
  @IsOptional()
  @CronExpression()
  readonly cronSchedule?: string;

  /** Hours without a successful prune after which the metrics and `doctor` call the cron late. */
  @WholeNumber({ min: 1, max: 8760 })
  readonly cronLateAfterHours: number = 26;

  /** Client id at the identity provider; without it users log in only through the providers of `idpOthers`. */
  @IsOptional()
  readonly idpClientId?: string;

  /** Client secret at the identity provider. */
  @IsOptional()
  readonly idpClientSecret?: string;

  /** Where the identity provider asks the user; by default Google. */
  @HttpUrl()
  readonly idpAuthorizationUrl: string = 'https://accounts.google.com/o/oauth2/v2/auth';

  /** Where the identity provider exchanges the authorization code. */
  @HttpUrl()
  readonly idpTokenUrl: string = 'https://oauth2.googleapis.com/token';

  /** Where the identity provider answers who the user is (OpenID Connect UserInfo). */
  @HttpUrl()
  readonly idpUserinfoUrl: string = 'https://openidconnect.googleapis.com/v1/userinfo';

  /** The scopes that the service asks of the identity provider. */
  @IsNotEmpty()
  readonly idpScope: string = 'openid email profile';

  /**
   * The identity provider's own name, which its answers carry (RFC 9207) and identities are stored under; it has to be
   * named where the endpoints are others than Google's.
   */
  @IsNotEmpty()
  readonly idpIssuer: string = 'https://accounts.google.com';

  /** Whether the identity provider has verified each address that it does not call verified or unverified. */
  @Flag()
  readonly idpVouchesEmails: boolean = false;

  /** What the login page calls the identity provider; by default `Google`, or the host of another `idpIssuer`. */
  @IsOptional()
  @IsName()
  readonly idpTitle?: string;

  /** Whether the identity provider asks for a second factor by itself. */
  @Flag()
  readonly idpIsStrong: boolean = false;

  /** Other identity providers, each with a name of its own: a JSON list. */
  @OtherProviders()
  readonly idpOthers: OtherProvider[] = [];

  /** The secret from which the keys are derived that sign, encrypt, link and count: one key for each purpose. */
  @SecretList()
  readonly jwtSecretKey: Secrets;

  /** The keys that sign tokens for back ends: P-256, PKCS#8 in base64, the first signs. Without one there are no tokens. */
  @IsOptional()
  @TokenKeys()
  readonly tokenKeys?: Secrets;

  /** The back ends that tokens are signed for, by their names. */
  @ListOf(isAudience, 'names of back ends, such as reports')
  readonly tokenAudiences: string[] = [];

  /** Seconds a token is good, also when its session ends before. */
  @WholeNumber({ min: 60, max: 300 })
  readonly tokenMaxAge: number = 120;

  /** The back ends that events are sent to, eight at most: a JSON list. */
  @EventEndpointList()
  readonly webhooks: EventEndpoint[] = [];

  /** Seconds an endpoint may take to answer. */
  @WholeNumber({ min: 1, max: 25 })
  readonly webhookTimeoutSeconds: number = 15;

  /** The name of the product in mails and pages. */
  @IsName()
  readonly productName: string = 'Latchkey';

  /** The address that mails and pages give their readers to write to. */
  @IsOptional()
  @IsAddress()
  readonly supportEmail?: string;

  /** The colour of the buttons in mails and pages; those of links and focus rings are made from it. */
  @Color()
  readonly productColor: string = PRODUCT_COLOR;

  /** The product's logo, which the pages show; without it they show the name and a mark of ours. */
  @IsOptional()
  @HttpsUrl()
  readonly productLogoUrl?: string;

  /** The product's terms of service, which the pages link to. */
  @IsOptional()
  @HttpUrl()
  readonly termsUrl?: string;

  /** What the product says about privacy, which the pages link to. */
  @IsOptional()
  @HttpUrl()
  readonly privacyUrl?: string;

  /** The provider that delivers mail; `stub` writes it to the console log instead. */
  @IsIn(['mailapi', 'cloudmail', 'smtp', 'stub'])
  readonly emailProvider: EmailProvider;

  /** The provider that delivers mail while `emailProvider` is unavailable. */
  @IsOptional()
  @IsIn(['mailapi', 'cloudmail', 'smtp'])
  readonly emailFallbackProvider?: FallbackProvider;

  /** Seconds a provider may take to answer, for each mail; twice that is less than the lease of the outbox. */
  @WholeNumber({ min: 1, max: 25 })
  readonly emailTimeoutSeconds: number = 10;

  /** API key of the `mailapi` provider (SendGrid). */
  @IsOptional()
  @ApiKey()
  readonly mailapiApiKey?: string;

  /** Sender's address at the `mailapi` provider. */
  @IsOptional()
  @SenderAddress()
  readonly mailapiSenderAddress?: string;

  /** Sender's display name at the `mailapi` provider. */
  @IsOptional()
  @IsName()
  readonly mailapiSenderName?: string;

  /** Where the `mailapi` provider's API is; that of its EU region is https://api.eu.sendgrid.com. */
  @ConfidentialUrl()
  readonly mailapiBaseUrl: string = 'https://api.sendgrid.com';

  /** Connection string of the `cloudmail` provider (Azure Communication Services). */
  @IsOptional()
  @ConnectionString()
  readonly cloudmailConnectionString?: string;

  /** Sender's address at the `cloudmail` provider. */
  @IsOptional()
  @SenderAddress()
  readonly cloudmailSenderAddress?: string;

  /** Host name or IP address of the SMTP server. */
  @IsOptional()
  @ServerName()
  readonly smtpHost?: string;

  /** Port of the SMTP server; by default the one that `smtpTls` is spoken at. */
  @IsOptional()
  @WholeNumber({ min: 1, max: 65_535 })
  readonly smtpPort?: number;

  /**
   * `starttls`: TLS begins with a command, and nothing is sent without it. `implicit`: with the connection, as on port
   * 465. `off`: no TLS, for a server on this machine.
   */
  @IsOptional()
  @IsIn(['starttls', 'implicit', 'off'])
  readonly smtpTls?: 'starttls' | 'implicit' | 'off';

  /** User at the SMTP server; none when it knows the service by its address. */
  @IsOptional()
  @Credential()
  readonly smtpUser?: string;

  /** Password of that user. */
  @IsOptional()
  @Credential()
  readonly smtpPassword?: string;

  /** Sender's address at the SMTP server. */
  @IsOptional()
  @SenderAddress()
  readonly smtpSenderAddress?: string;

  /** Sender's display name at the SMTP server. */
  @IsOptional()
  @IsName()
  readonly smtpSenderName?: string;

  /** Secret or restricted key of the Stripe account; without it billing is off. */
  @IsOptional()
  @Matches(/^(sk|rk)_\w+$/, { message: 'must be a secret key (sk_…) or a restricted one (rk_…)' })
  readonly stripeSecretKey?: string;

  /** The secrets with which Stripe signs its webhooks; two while one rotates. */
  @ListOf(isSigningSecret, 'one signing secret (whsec_…), or two while one rotates', 2)
  readonly stripeWebhookSecret: string[] = [];

  /** The prices on sale; when none is named, every active one. */
  @ListOf(isPriceId, 'price ids')
  readonly stripePriceIds: string[] = [];

  /** Where Stripe's API is; elsewhere for a test server. */
  @Origin()
  @Confidential()
  readonly stripeApiBase: string = 'https://api.stripe.com';

  /** Days a subscription that is past due still admits its users, from when its first unpaid invoice had to be paid. */
  @WholeNumber({ min: 0, max: 90 })
  readonly stripePastDueGraceDays: number = 7;

  /** Key of the AI provider; without it the AI features are off. */
  @IsOptional()
  @ApiKey()
  readonly aiApiKey?: string;

  /** Where the AI provider's API is: that of OpenAI, or of any server that speaks its protocol. */
  @ConfidentialUrl()
  readonly aiBaseUrl: string = 'https://api.openai.com/v1';

  /** The model that writes, by the provider's name for it. */
  @IsNotEmpty()
  readonly aiModel: string = 'gpt-4.1-mini';

  /** Seconds the AI provider may take for all it writes; less than `handlerTimeoutSeconds`. */
  @WholeNumber({ min: 1, max: 30 })
  readonly aiTimeoutSeconds: number = 20;

  /** Whether `/docs` and `/openapi.json` are served; by default in `dev` and `beta`, and nowhere else. */
  @IsOptional()
  @IsIn(['on', 'off'])
  readonly docs?: 'on' | 'off';

  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  readonly logLevel: string = 'info';

  /** Whether each audit event is a line of the log too, at `info`, with the address of the client. */
  @IsIn(['on', 'off'])
  readonly auditLog: 'on' | 'off' = 'on';

  /** The secret that Prometheus presents to `/metrics`; without it the path is 404. */
  @IsOptional()
  @SecretList()
  readonly metricsToken?: Secrets;
}

type Named<Setting> = Setting extends `limit${infer Name}` ? Uncapitalize<Name> : never;

/** A limit, named after its setting: that of `signupPerNetwork` is `SVC_LIMIT_SIGNUP_PER_NETWORK`. */
export type LimitName = Named<keyof Environment>;

/** A limit that is counted by network. */
export type NetworkLimit = Extract<LimitName, `${string}PerNetwork`>;
