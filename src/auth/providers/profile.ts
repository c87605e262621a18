import { canonicalAddress } from '../../validation/address.js';
import { canonicalName } from '../../validation/name.js';
import { isAddress } from '../../validation/rules.js';
import type { Endpoints } from './discovery.js';
import { LoginFailure } from './login-failure.js';
import { requestUserInfo } from './provider-request.js';
import type { Provider } from './providers.js';

const MAX_SUBJECT_LENGTH = 255;

/** As many addresses as GitHub lists at once, and how many pages of them are read. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** How the domain of the private addresses begins that GitHub makes, and an Enterprise Server of it. */
const NO_REPLY = 'users.noreply.';

/** Who logged in at a provider (OpenID Connect Core §5.3.2, or what an OAuth provider has in its place). */
export interface Profile {
  /** The provider's issuer, under whose name the subject is known. */
  issuer: string;
  subject: string;
  /** The address that the provider has verified; null when there is none. */
  verifiedEmail: string | null;
  name: string | null;
}

/** Asks a provider who an access token is for. Rejects when it does not say, with LoginFailure or with the reason. */
export async function requestProfile(
  provider: Provider,
  { userinfoUrl, emailsUrl }: Endpoints,
  accessToken: string,
): Promise<Profile> {
  const [userInfo, emails] = await Promise.all([
    requestUserInfo(userinfoUrl, accessToken),
    emailsUrl === undefined ? undefined : requestEmails(emailsUrl, accessToken),
  ]);
  const { sub, id, name, ...claims } = parseObject(userInfo);
  const subject = parseSubject(sub ?? id);
  if (subject === null) throw new LoginFailure('provider_error', new Error('the user info has no subject'));

  const verifiedEmail = emails === undefined ? verifiedIn(claims, provider) : primaryIn(emails);
  return {
    issuer: provider.issuer,
    subject,
    verifiedEmail,
    name: typeof name === 'string' ? canonicalName(name) : null,
  };
}

/** The whole list of addresses, which GitHub gives in pages. */
async function requestEmails(url: string, accessToken: string): Promise<unknown[]> {
  const emails: unknown[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const text = await requestUserInfo(`${url}?per_page=${PAGE_SIZE}&page=${page}`, accessToken);
    const listed = Object.values(parseObject(text));
    emails.push(...listed);
    if (listed.length < PAGE_SIZE) break;
  }
  return emails;
}

/** An address without a word on whether it is verified counts as verified where the provider is vouched for. */
function verifiedIn(
  { email, email_verified }: Record<string, unknown>,
  { vouchesFor }: Provider,
): string | null {
  const address = parseAddress(email);
  if (address === null) return null;
  const isVerified = email_verified === undefined ? vouchesFor(domainOf(address)) : isTrue(email_verified);
  return isVerified ? address : null;
}

/**
 * The primary address of GitHub's list, if it is verified: users choose it as the one that reaches them. The private
 * one that GitHub makes reaches no mailbox.
 */
function primaryIn(emails: unknown[]): string | null {
  const entries: Record<string, unknown>[] = emails.map(Object);
  const entry = entries.find(({ primary, verified }) => primary === true && verified === true);
  const address = parseAddress(entry?.email);
  return address === null || domainOf(address).startsWith(NO_REPLY) ? null : address;
}

function parseAddress(value: unknown): string | null {
  const address = typeof value === 'string' ? canonicalAddress(value) : null;
  return isAddress(address) ? address : null;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** A number that JavaScript cannot tell from its neighbour would be the subject of several people. */
function parseSubject(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  const isSubject =
    typeof value === 'string' && value !== '' && value.length <= MAX_SUBJECT_LENGTH && !value.includes('\0');
  return isSubject ? value : null;
}

/** Some providers answer with strings: `"true"` counts as true, and `"false"`, though not empty, as false. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The parser would quote the text, which is the user's, in the log.
  }
  throw new LoginFailure('provider_error', new Error('the user info is no JSON object'));
}
