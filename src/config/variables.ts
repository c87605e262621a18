import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { validateCronExpression } from 'cron';
import { check } from '../validation/check.js';
import { parsedUrl } from '../validation/parsed-url.js';
import { isAddress } from '../validation/rules.js';
import { areLimits, limits } from './limit.js';

const MAX_PROCESSES = 128;
const MIN_SECRET_LENGTH = 32;

/** Names of this machine in an address. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

const SHOWN = Symbol('shown');

/** A setting that a SYSTEM_ADMIN may see, with its rules. Of every other they see a fingerprint. */
export function Shown(...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(Reflect.metadata(SHOWN, true) as PropertyDecorator, ...rules);
}

/** Whether a setting of a class is `@Shown`. */
export function isShown({ prototype }: { prototype: object }, setting: string): boolean {
  return Reflect.hasMetadata(SHOWN, prototype, setting);
}

/** `true` or `false`. */
export function Flag(): PropertyDecorator {
  const flags: Record<string, boolean> = { true: true, false: false };
  return applyDecorators(
    Transform(({ value }) => flags[value] ?? value),
    check('isFlag', (value) => typeof value === 'boolean', 'must be true or false'),
  );
}

/** What the secrets of keys begin with. */
export function KeyPrefix(): PropertyDecorator {
  return check(
    'isKeyPrefix',
    (value) => typeof value === 'string' && /^[a-z][a-z0-9]{1,15}$/.test(value),
    'must be 2 to 16 lower-case letters and digits, a letter first',
  );
}

/** A number of processes, or `auto` for as many as there are cores. */
export function Processes(): PropertyDecorator {
  const rule = { message: `must be a whole number from 1 to ${MAX_PROCESSES}, or auto` };
  return applyDecorators(
    Transform(({ value }) => (value === 'auto' ? availableParallelism() : Number(value))),
    IsInt(rule),
    Min(1, rule),
    Max(MAX_PROCESSES, rule),
  );
}

/** An absolute http(s) address without query or fragment; a trailing slash is taken off. */
export function BaseUrl(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.replace(/\/+$/, '') : value)),
    check('isBaseUrl', isBaseUrl, 'must be an http:// or https:// address without query or fragment'),
  );
}

/** An http(s) address without a path; a trailing slash is taken off. */
export function Origin(): PropertyDecorator {
  const isValid = (value: unknown) => typeof value === 'string' && isOrigin(value);
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.replace(/\/$/, '') : value)),
    check('isOrigin', isValid, 'must be an http:// or https:// address without a path'),
  );
}

/** An absolute http(s) address without fragment. */
export function HttpUrl(): PropertyDecorator {
  return check('isHttpUrl', isHttpUrl, 'must be an http:// or https:// address without fragment');
}

/** The same, with the place of a language in it, if its author likes. */
export function LanguageUrl(): PropertyDecorator {
  const isValid = (value: unknown) =>
    typeof value === 'string' && isHttpUrl(inLanguage(value, 'en')) && !/[{}]/.test(inLanguage(value, 'en'));
  return check(
    'isLanguageUrl',
    isValid,
    'must be an http:// or https:// address without fragment, with {language} as the only word in braces',
  );
}

/** An address with the place of an organization's id in it, once, behind the host; its fragment may be the place. */
export function OrgUrl(): PropertyDecorator {
  return check(
    'isOrgUrl',
    isOrgUrl,
    'must be an http:// or https:// address with {org} in it once, such as https://app.example.com/o/{org}',
  );
}

/** An https address without fragment, which a page may load something from. */
export function HttpsUrl(): PropertyDecorator {
  const isHttps = (value: unknown) => isHttpUrl(value) && value.startsWith('https:');
  return check('isHttpsUrl', isHttps, 'must be an https:// address without fragment');
}

/** A colour as style sheets write it. */
export function Color(): PropertyDecorator {
  const isColor = (value: unknown) => typeof value === 'string' && /^#[\da-f]{6}$/i.test(value);
  return check('isColor', isColor, 'must be a colour such as #3f46d6');
}

/** A base address that a key may be sent to. */
export function ConfidentialUrl(): PropertyDecorator {
  return applyDecorators(BaseUrl(), Confidential());
}

/** An address that a key may be sent to: over HTTPS, or to this machine. */
export function Confidential(): PropertyDecorator {
  return check('isConfidential', isConfidential, 'must be an https:// address, or one of this machine');
}

/** A comma-separated list, every entry of which passes the test. */
export function ListOf(
  test: (entry: string) => boolean,
  wanted: string,
  longest = Number.POSITIVE_INFINITY,
): PropertyDecorator {
  const isList = (value: unknown) => Array.isArray(value) && value.length <= longest && value.every(test);
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? splitList(value) : value)),
    check('isListOf', isList, `must be a list of ${wanted}`),
  );
}

/** Addresses or blocks of proxies, separated by commas; none for `none`. */
export function ProxyList(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (value === 'none' ? [] : typeof value === 'string' ? splitList(value) : value)),
    check(
      'isProxyList',
      (value) => Array.isArray(value) && value.every(isAddressBlock),
      'must be a list of IP addresses or CIDR blocks, or none',
    ),
  );
}

/** Limits, each a number of times in seconds, minutes or hours. */
export function LimitList(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? limits(value) : value)),
    check('areLimits', areLimits, 'must be limits of up to a day, such as 1/1m,5/1h'),
  );
}

/**
 * A secret, and after commas those it takes the place of. Each is so long that guessing it is hopeless: 32 characters,
 * as `openssl rand -base64 32` makes 44.
 */
export function SecretList(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value,
    ),
    check(
      'isSecretList',
      (value) => Array.isArray(value) && value.every((secret) => secret.length >= MIN_SECRET_LENGTH),
      `must have at least ${MIN_SECRET_LENGTH} characters, as must each that follows a comma`,
    ),
  );
}

/** Private keys on the curve P-256, in PKCS#8 and base64, separated by commas. */
export function TokenKeys(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? splitList(value) : value)),
    check(
      'areTokenKeys',
      (value) => Array.isArray(value) && value.length > 0 && value.every(isTokenKey),
      'must be a P-256 key as npm run cli -- token-key makes it, or several with commas between them',
    ),
  );
}

function isTokenKey(value: string): boolean {
  try {
    const key = createPrivateKey({ key: Buffer.from(value, 'base64'), format: 'der', type: 'pkcs8' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

/**
 * A key as it goes into a header. One with a line break at its end, as files have, would fail only at the first use.
 */
export function ApiKey(): PropertyDecorator {
  return check(
    'isApiKey',
    (value) => typeof value === 'string' && /^[!-~]+$/.test(value),
    'must be printable ASCII without blanks',
  );
}

/**
 * A user name or password, on one line: with a line break at its end, as files have, it would fail only at the first
 * login, and SASL PLAIN separates the two by a NUL (RFC 4616).
 */
export function Credential(): PropertyDecorator {
  return check(
    'isCredential',
    (value) => typeof value === 'string' && /^\P{Cc}+$/u.test(value),
    'must be one line without control characters',
  );
}

/** The name of a server, or its IP address, without a port. */
export function ServerName(): PropertyDecorator {
  return check('isServerName', isServerName, 'must be a host name or an IP address, without a port');
}

/** A domain, as browsers write it. */
export function DomainName(): PropertyDecorator {
  return check('isDomainName', isDomainName, 'must be a domain in lower case, such as example.com');
}

/** The address that mail comes from, kept as it is written. */
export function SenderAddress(): PropertyDecorator {
  return check('isSenderAddress', isAddress, 'must be an email address');
}

/** How Azure writes down an endpoint with its key, which is Base64. */
export function ConnectionString(): PropertyDecorator {
  return check(
    'isConnectionString',
    isConnectionString,
    'must be of the form "endpoint=https://<resource>;accesskey=<key>"',
  );
}

/** Five or six fields as cron(8) reads them. */
export function CronExpression(): PropertyDecorator {
  return check('isCronExpression', isCronExpression, 'must be a cron expression, such as "0 3 * * *"');
}

/** An address of the product for readers of a language. */
export function inLanguage(url: string, tag: string): string {
  return url.replaceAll('{language}', tag);
}

export function isOrigin(entry: string): boolean {
  return isBaseUrl(entry) && new URL(entry).origin === entry;
}

function isAddressBlock(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && fits && rest.length === 0;
}

/** Whether a server runs on this machine; an IPv6 address has brackets in a URL only. */
export function isThisMachine(host: string): boolean {
  return [...THIS_MACHINE, '::1'].includes(host.toLowerCase());
}

export function isDomainName(value: unknown): boolean {
  return typeof value === 'string' && /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/.test(value);
}

/** What Stripe's dashboard shows of a webhook endpoint; its id (we_…) is pasted by mistake. */
export function isSigningSecret(entry: string): boolean {
  return /^whsec_\S+$/.test(entry);
}

/** `price_…`, or any name that a plan of an older account was given. */
export function isPriceId(value: unknown): value is string {
  return typeof value === 'string' && /^\w[\w.-]{0,254}$/.test(value);
}

/** A name of a container's network may have an underscore. */
function isServerName(value: unknown): boolean {
  return typeof value === 'string' && (isIP(value) !== 0 || /^[a-z\d_]([\w.-]{0,251}[a-z\d])?$/i.test(value));
}

function isBaseUrl(value: unknown): boolean {
  return isHttpUrl(value) && new URL(value).search === '';
}

export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\//.test(value)) return false;
  const address = parsedUrl(value);
  return address !== null && !address.hash && !address.username && !address.password;
}

export function isOrgUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\/[^/{}]+\/[^{}]*\{org\}[^{}]*$/.test(value)) return false;
  const address = parsedUrl(value);
  return address !== null && !address.username && !address.password;
}

export function isConfidential(value: unknown): value is string {
  if (!isHttpUrl(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || THIS_MACHINE.includes(hostname);
}

function isConnectionString(value: unknown): boolean {
  const parts = /^endpoint=(?<endpoint>[^;]+);accesskey=[A-Za-z0-9+/]+={0,2}$/i.exec(String(value))?.groups;
  return isConfidential(parts?.endpoint) && new URL(parts?.endpoint ?? '').pathname === '/';
}

function isCronExpression(value: unknown): boolean {
  return typeof value === 'string' && validateCronExpression(value).valid;
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}
