import { BlockList, isIP } from 'node:net';
import { plainToInstance } from 'class-transformer';
import { check } from '../validation/check.js';
import { ipv4Of, numberOf } from './address-space.js';
import { eventTypesNamed } from './event-types.js';
import { JsonListOf } from './json-list.js';
import { isHttpUrl } from './variables.js';

const SECRET_PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/**
 * Where clouds tell a machine its credentials, which no receiver of events listens at: link-local addresses, and those
 * that Alibaba, Azure, Oracle, AWS and Google have besides.
 */
const FORBIDDEN = new BlockList();
FORBIDDEN.addSubnet('169.254.0.0', 16);
FORBIDDEN.addSubnet('fe80::', 10, 'ipv6');
// Teredo (RFC 4380) hides the IPv4 address of a client, and no receiver is reached by it.
FORBIDDEN.addSubnet('2001::', 32, 'ipv6');
// In a NAT64 of its own (RFC 8215) a network puts the IPv4 address where it likes.
FORBIDDEN.addSubnet('64:ff9b:1::', 48, 'ipv6');
// Site-local addresses are no longer in use (RFC 3879): a network may take them for anything.
FORBIDDEN.addSubnet('fec0::', 10, 'ipv6');
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) FORBIDDEN.addAddress(address);
for (const address of ['fd00:ec2::254', 'fd20:ce::254']) FORBIDDEN.addAddress(address, 'ipv6');

/**
 * Where IPv6 addresses hold the IPv4 address that a gateway sends to: the prefix, by what follows it, and how far the
 * IPv4 address stands from the end. IPv4-compatible and IPv4-mapped (RFC 4291 §2.5.5), IPv4-translated (RFC 2765),
 * NAT64 (RFC 6052), 6to4 (RFC 3056).
 */
const EMBEDDED = [
  { prefix: '::', free: 32n, at: 0n },
  { prefix: '::ffff:0:0', free: 32n, at: 0n },
  { prefix: '::ffff:0:0:0', free: 32n, at: 0n },
  { prefix: '64:ff9b::', free: 32n, at: 0n },
  { prefix: '2002::', free: 112n, at: 80n },
];

/** What stands before the IPv4 address in ISATAP (RFC 5214 §6.1), in any network; a bit says whether it is a global one. */
const ISATAP = 0x5efen;
const ISATAP_MASK = 0xfdff_ffffn;

/** An entry of `SVC_WEBHOOKS`: a back end that events are sent to. */
export class EventEndpoint {
  /** What deliveries, metrics and commands call it. */
  @check('isEndpointName', isEndpointName, 'must be lower-case letters, digits and hyphens')
  readonly name: string;

  @check(
    'isEndpointUrl',
    isEndpointUrl,
    'must be an http:// or https:// address without user, fragment or link-local address',
  )
  readonly url: string;

  /** `whsec_` and base64; of two, the newest first, while one takes the place of the other. */
  @check(
    'areSigningSecrets',
    areSigningSecrets,
    'must be a list of one or two secrets as npm run cli -- webhook secret makes them, with 24 to 64 bytes',
  )
  readonly secrets: string[];

  /** Types of events, families such as `account.*`, or `*`. */
  @check(
    'areEventTypes',
    areEventTypes,
    'must be a list of types that webhooks send, such as account.created, account.* or *',
  )
  readonly types: string[];
}

/** A JSON list of endpoints. */
export function EventEndpointList(): PropertyDecorator {
  return JsonListOf((written) => plainToInstance(EventEndpoint, written));
}

/** The bytes that a secret signs with. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}

function isEndpointName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(value);
}

function isEndpointUrl(value: unknown): boolean {
  if (!isHttpUrl(value)) return false;
  const host = new URL(value).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || !isForbidden(host);
}

function isForbidden(ip: string): boolean {
  if (isIP(ip) === 4) return FORBIDDEN.check(ip);
  return FORBIDDEN.check(ip, 'ipv6') || embeddedIn(ip).some(isForbidden);
}

/** The IPv4 addresses that an IPv6 address leads to. */
function embeddedIn(ip: string): string[] {
  const number = numberOf(ip);
  const isIsatap = ((number >> 32n) & ISATAP_MASK) === ISATAP;
  const found = EMBEDDED.filter(({ prefix, free }) => number >> free === numberOf(prefix) >> free);
  return [...found.map(({ at }) => ipv4Of(number >> at)), ...(isIsatap ? [ipv4Of(number)] : [])];
}

function areSigningSecrets(value: unknown): boolean {
  return Array.isArray(value) && [1, 2].includes(value.length) && value.every(isSigningSecret);
}

/** Base64 exactly as encoders write it: the libraries of receivers take no other. */
function isSigningSecret(value: unknown): boolean {
  if (typeof value !== 'string' || !value.startsWith(SECRET_PREFIX)) return false;
  const key = signingKey(value);
  const isExact = `${SECRET_PREFIX}${key.toString('base64')}` === value;
  return isExact && key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES;
}

function areEventTypes(value: unknown): boolean {
  const isKnown = (entry: unknown) => typeof entry === 'string' && eventTypesNamed(entry).length > 0;
  return Array.isArray(value) && value.length > 0 && value.every(isKnown);
}
