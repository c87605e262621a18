import { IsIn, IsNotEmpty, IsOptional, Matches } from 'class-validator';
import {
  BaseUrl,
  CronExpression,
  HttpUrl,
  isAddressBlock,
  isOrigin,
  isPriceId,
  isSigningSecret,
  ListOf,
  Secret,
  WholeNumber,
} from './variables.js';

export type AppMode = 'b2c' | 'b2b';
export type EmailProvider = 'mailapi' | 'cloudmail' | 'stub';

/**
 * Every setting of the service. `sessionCookieName` is read from `SVC_SESSION_COOKIE_NAME`, and so on;
 * `.env.example` keeps the same order.
 */
export class Environment {
  /** `dev`, `beta` or `prod`. Any other value gets the rules of `prod` and no CORS origin. */
  @IsNotEmpty()
  readonly environment: string;

  /** `b2c`: anyone may sign up. `b2b`: by invitation only, signup answers 404. */
  @IsIn(['b2c', 'b2b'])
  readonly appMode: AppMode = 'b2c';

  /** Address of the single-page application; mailed links open it. */
  @BaseUrl()
  readonly baseWebUrl: string;

  /** Address of this service as its clients see it. */
  @BaseUrl()
  readonly baseApiUrl: string;

  /** Origins allowed to call with credentials; in `beta` and `prod` exactly one, by default that of `baseWebUrl`. */
  @ListOf(isOrigin, 'origins, such as https://app.example.com')
  readonly corsOrigins: string[] = [];

  /** The address the service listens on. */
  @IsNotEmpty()
  readonly host: string = '127.0.0.1';

  /** The port the service listens on; 0 takes a free one. */
  @WholeNumber({ min: 0, max: 65_535 })
  readonly port: number = 3000;

  /** Address blocks of the proxies in front, whose X-Forwarded-For is believed. */
  @ListOf(isAddressBlock, 'IP addresses or CIDR blocks')
  readonly trustedProxies: string[] = [];

  /** `postgres://…`; when unset, `dev` starts a PostgreSQL of its own. */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgres:// address' })
  readonly databaseUrl?: string;

  /** Connections to PostgreSQL that one process keeps at most. */
  @WholeNumber({ min: 2, max: 500 })
  readonly databasePoolSize: number = 10;

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

  /** What a caller of `/cron` presents; without it the path is 404. */
  @IsOptional()
  @Secret()
  readonly cronSecret?: string;

  /** Days an expired session is kept before it is pruned. */
  @WholeNumber({ min: 0, max: 3650 })
  readonly cronSessionRetentionDays: number = 7;

  /** When the service prunes by itself, in UTC; off when unset. */
  @IsOptional()
  @CronExpression()
  readonly cronSchedule?: string;

  /** Client id at the identity provider; without it login through a provider is off. */
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

  /** Where the identity provider tells who the user is (OpenID Connect UserInfo). */
  @HttpUrl()
  readonly idpUserinfoUrl: string = 'https://openidconnect.googleapis.com/v1/userinfo';

  /** What is asked of the identity provider. */
  @IsNotEmpty()
  readonly idpScope: string = 'openid email profile';

  /** The identity provider's own name, which its answers carry (RFC 9207) and identities are stored under. */
  @IsNotEmpty()
  readonly idpIssuer: string = 'https://accounts.google.com';

  /** Signs the `state` of the login through the identity provider. */
  @Secret()
  readonly jwtSecretKey: string;

  /** Who delivers mail; `stub` writes it to the console log instead. */
  @IsIn(['mailapi', 'cloudmail', 'stub'])
  readonly emailProvider: EmailProvider;

  /** API key of the `mailapi` provider. */
  @IsOptional()
  readonly mailapiApiKey?: string;

  /** Sender's address at the `mailapi` provider. */
  @IsOptional()
  readonly mailapiSenderAddress?: string;

  /** Sender's display name at the `mailapi` provider. */
  @IsOptional()
  readonly mailapiSenderName?: string;

  /** Connection string of the `cloudmail` provider. */
  @IsOptional()
  readonly cloudmailConnectionString?: string;

  /** Sender's address at the `cloudmail` provider. */
  @IsOptional()
  readonly cloudmailSenderAddress?: string;

  /** Secret or restricted key of the Stripe account; without it billing is off. */
  @IsOptional()
  @Matches(/^(sk|rk)_\w+$/, { message: 'must be a secret key (sk_…) or a restricted one (rk_…)' })
  readonly stripeSecretKey?: string;

  /** What Stripe signs its webhooks with; two while one rotates. */
  @ListOf(isSigningSecret, 'one signing secret (whsec_…), or two while one rotates', 2)
  readonly stripeWebhookSecret: string[] = [];

  /** The prices on sale; when none is named, every active one. */
  @ListOf(isPriceId, 'price ids')
  readonly stripePriceIds: string[] = [];

  /** Where Stripe's API is; elsewhere for a test server. */
  @BaseUrl()
  readonly stripeApiBase: string = 'https://api.stripe.com';

  /** Days a subscription that is past due still admits, from its oldest unpaid invoice on. */
  @WholeNumber({ min: 0, max: 90 })
  readonly stripePastDueGraceDays: number = 7;

  /** Key of the AI provider; without it the AI features are off. */
  @IsOptional()
  readonly aiApiKey?: string;

  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  readonly logLevel: string = 'info';
}
