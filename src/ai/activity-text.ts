import { isIPv4 } from 'node:net';
import { SECOND_FACTORS } from '../accounts/factors.js';
import type { NamedEvent } from '../audit/audit-events.repository.js';
import { AUTH_METHODS } from '../http/caller.js';
import { Role } from '../http/role.js';
import { siteOf } from '../rate-limits/limits.js';
import { deviceName } from '../words/device-name.js';

const oneOf = (words: readonly string[]) => new RegExp(`^(${words.join('|')})$`);

const ROLE = oneOf(Object.values(Role));
const PROBLEM_CODE = /^[A-Z][A-Za-z]{1,40}$/;
const NUMBER = /^\d{1,9}$/;

/** The details that may leave the service, and their form. Each is a word or a number of our own. */
const SHARED_DETAILS: Record<string, RegExp> = {
  from: ROLE,
  to: ROLE,
  role: ROLE,
  auth_method: oneOf(AUTH_METHODS),
  second_step: oneOf([...SECOND_FACTORS, 'setup']),
  method: oneOf(['password', ...SECOND_FACTORS]),
  code: PROBLEM_CODE,
  reason: PROBLEM_CODE,
  seconds: NUMBER,
  ended: NUMBER,
  left: NUMBER,
};

/** Gives the id of a user a name. */
type Naming = (userId: string) => string;

/**
 * Events as a stranger may read them, one a line: no name or address of a person, no id, and nothing that a client
 * chose, such as its user agent, which could instruct the model what to write.
 */
export function activityText(events: NamedEvent[], callerId: string): string {
  const nameOf = namingFor(callerId);
  return events.map((event) => lineOf(event, nameOf)).join('\n');
}

/**
 * Calls the caller `you`, and the others by the order they come in: the same in all lines of one text, and only
 * there.
 */
function namingFor(callerId: string): Naming {
  const names = new Map([[callerId, 'you']]);
  return (userId) => {
    const name = names.get(userId) ?? `member ${names.size}`;
    names.set(userId, name);
    return name;
  };
}

function lineOf(
  { type, createdAt, actorId, userId, ip, userAgent, details }: NamedEvent,
  nameOf: Naming,
): string {
  const parts = [
    createdAt.toISOString().slice(0, 16),
    type,
    `by ${actorId === null ? 'a client that was not logged in' : nameOf(actorId)}`,
    userId !== null && `account of ${nameOf(userId)}`,
    ip !== null && `from ${coarseNetwork(ip)}`,
    userAgent !== null && `with ${deviceName(userAgent)}`,
    ...sharedDetails(details),
  ];
  return parts.filter(Boolean).join(', ');
}

function sharedDetails(details: NamedEvent['details']): string[] {
  return Object.entries(SHARED_DETAILS)
    .filter(([name, form]) => form.test(String(details[name])))
    .map(([name]) => `${name}: ${details[name]}`);
}

/** The neighbourhood of an address, in which no person can be told from another: an IPv4 /24, or an IPv6 /48. */
export function coarseNetwork(ip: string): string {
  const site = siteOf(ip);
  return isIPv4(site) ? site.replace(/\d+$/, '0/24') : site;
}
