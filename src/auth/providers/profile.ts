import jwt from 'jsonwebtoken';
import { requestBounded } from '../../outbound/bounded-request.js';
import { canonicalAddress } from '../../validation/address.js';
import { canonicalName } from '../../validation/name.js';
import { isAddress } from '../../validation/rules.js';
import { type Endpoints, type Provider, REQUEST_TIME_LIMIT_MS } from './providers.js';

/** GitHub refuses a request without an agent. */
const HEADERS = { accept: 'application/json', 'user-agent': 'Latchkey' };

const MAX_SUBJECT_LENGTH = 255;

/** As many addresses as GitHub lists at once, and how many pages of them are read. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** How the domain of the private addresses begins that GitHub makes, and an Enterprise Server of it. */
const NO_REPLY = 'users.noreply.';

/** How far the clock of a provider may be from ours. */
const CLOCK_SKEW_SECONDS = 300;

/** The end of the year 9999: no later time is one that PostgreSQL and JavaScript both know. */
const LAST_SECOND = 253_402_300_799;

/** Who logged in at a provider (OpenID Connect Core §5.3.2, or what an OAuth provider has in its place). */
export interface Profile {
  /** The provider's issuer, under whose name the subject is known. */
  issuer: string;
  subject: string;
  /** The address that the provider has verified; null when there is none. */
  verifiedEmail: string | null;
  name: string | null;
}

/** Asks a provider who an access token is for. Rejects when it does not say. */
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
  if (subject === null) throw new Error('the user info has no subject');

  const verifiedEmail = emails === undefined ? verifiedIn(claims, provider) : primaryIn(emails);
  return {
    issuer: provider.issuer,
    subject,
    verifiedEmail,
    name: typeof name === 'string' ? canonicalName(name) : null,
  };
}

/**
 * When the user of a login that may have been silent proved at the provider who they are. Returns null where the provider
 * does not say so, or says it of another login: as with those that have no ID token, the login itself then counts.
 */
export function loginTimeIn(idToken: unknown, profile: Profile, provider: Provider): Date | null {
  const claims = claimsIn(idToken);
  const { auth_time: loggedInAt } = claims;
  const isTime = Number.isSafeInteger(loggedInAt) && loggedInAt >= 0 && loggedInAt <= LAST_SECOND;
  return isTime && isTheirs(claims, profile, provider) ? new Date(loggedInAt * 1000) : null;
}

/** Throws for a time that a provider did not say which says it in each ID token, and for one that is yet to come. */
export function assertSaid(loggedInAt: Date | null): void {
  if (loggedInAt === null) throw new Error('the identity provider did not say when its user logged in there');
  if (loggedInAt.getTime() > Date.now() + CLOCK_SKEW_SECONDS * 1000)
    throw new Error('the identity provider says that its user logged in at a time that is yet to come');
}

/**
 * Throws when a provider, which was asked for a fresh login, says that the user logged in there before the
 * flow began. One that does not say when is believed (OpenID Connect Core §3.1.2.1).
 */
export function assertLoginSince(
  begunAt: number,
  idToken: unknown,
  profile: Profile,
  provider: Provider,
): void {
  const claims = claimsIn(idToken);
  const { auth_time: loggedInAt } = claims;
  if (loggedInAt === undefined) return;
  if (!isTheirs(claims, profile, provider) || !(Number(loggedInAt) >= begunAt - CLOCK_SKEW_SECONDS))
    throw new Error('the identity provider did not ask the user again');
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

/** The text of a provider's user info. Rejects when it is not a 2xx, redirects, is too large or takes too long. */
async function requestUserInfo(url: string, accessToken: string): Promise<string> {
  const { isOk, status, text } = await requestBounded(url, REQUEST_TIME_LIMIT_MS, {
    headers: { ...HEADERS, authorization: `Bearer ${accessToken}` },
  });
  if (!isOk) throw new Error(`the identity provider answered the request for the user info with ${status}`);
  return text;
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
  throw new Error('the user info is no JSON object');
}

/**
 * Whether an ID token is about the login of this user at this provider. It came from the token endpoint itself, so TLS
 * vouches for it in place of its signature (§3.1.3.7, 6).
 */
function isTheirs(
  { iss, aud, sub }: jwt.JwtPayload,
  { subject }: Profile,
  { issuer, clientId }: Provider,
): boolean {
  return iss === issuer && [aud].flat().includes(clientId) && sub === subject;
}

/** Some providers have none, or one that is encrypted. */
function claimsIn(idToken: unknown): jwt.JwtPayload {
  try {
    return typeof idToken === 'string' ? Object(jwt.decode(idToken)) : {};
  } catch {
    return {};
  }
}
