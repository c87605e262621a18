import { plainToInstance } from 'class-transformer';
import { IsIn, IsOptional, isUUID, ValidateIf } from 'class-validator';
import { check } from '../validation/check.js';
import { IsName } from '../validation/rules.js';
import { JsonListOf, type Written } from './json-list.js';
import { Credential, Flag, isConfidential, isDomainName } from './variables.js';

/** What an entry of a well-known provider need not write. */
const PRESETS = new Map<unknown, (written: Written) => Written>([
  ['google', () => ({ title: 'Google', issuer: 'https://accounts.google.com' })],
  // The documents of `common` and `organizations` have no issuer but a template of one, so that a tenant has to be
  // named.
  [
    'microsoft',
    ({ tenant }) => ({
      title: 'Microsoft',
      issuer: `https://login.microsoftonline.com/${String(tenant).toLowerCase()}/v2.0`,
    }),
  ],
  [
    'github',
    () => ({ title: 'GitHub', issuer: 'https://github.com/login/oauth', scope: 'read:user user:email' }),
  ],
]);

/** An entry of `SVC_IDP_OTHERS`, as the operator writes it. */
export class OtherProvider {
  @IsOptional()
  @IsIn([...PRESETS.keys()], { message: `must be one of ${[...PRESETS.keys()].join(', ')}` })
  readonly preset?: 'google' | 'microsoft' | 'github';

  /** Its name in paths, and so in the redirect URI. `idp` is that of the provider of `SVC_IDP_CLIENT_ID`. */
  @check('isProviderId', isProviderId, 'must be lower-case letters, digits and hyphens, and not idp')
  readonly id: string;

  /** What the login page calls it. */
  @IsName()
  readonly title: string;

  @check('isIssuer', isIssuer, 'must be an https:// address without a query, or one of this machine')
  readonly issuer: string;

  @ValidateIf(({ preset, tenant }) => preset === 'microsoft' || tenant !== undefined)
  @check('isTenant', (value) => isUUID(value), 'must be the id of a tenant of Microsoft Entra, a UUID')
  readonly tenant?: string;

  @Credential()
  readonly client_id: string;

  @Credential()
  readonly client_secret: string;

  @Credential()
  readonly scope: string = 'openid email profile';

  /** The domains in which an address counts as verified where the provider does not say whether it is. */
  @check('isListOfDomains', isListOfDomains, 'must be a list of domains in lower case, such as example.com')
  readonly vouched_domains: string[] = [];

  /** Whether the provider asks for a second factor by itself. */
  @Flag()
  readonly strong: boolean = false;

  /** Whether each of its ID tokens says when the user logged in there. */
  @Flag()
  readonly says_auth_time: boolean = false;
}

/** A JSON list of providers. */
export function OtherProviders(): PropertyDecorator {
  return JsonListOf(asProvider);
}

function asProvider(written: Written): OtherProvider {
  const { preset } = written;
  const followed = PRESETS.get(preset)?.(written) ?? {};
  return plainToInstance(
    OtherProvider,
    { id: preset, ...followed, ...written },
    { exposeDefaultValues: true },
  );
}

function isProviderId(value: unknown): boolean {
  return typeof value === 'string' && /^(?!idp$)[a-z][a-z0-9-]{0,31}$/.test(value);
}

/** A slash at its end belongs to it: issuers are compared letter by letter (OpenID Connect Discovery §4.3). */
function isIssuer(value: unknown): boolean {
  return isConfidential(value) && !/[?#]/.test(String(value));
}

function isListOfDomains(value: unknown): boolean {
  return Array.isArray(value) && value.every(isDomainName);
}
