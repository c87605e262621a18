import type { AuditEvent } from '../audit/audit-event.entity.js';
import { deviceName } from '../http/device-name.js';
import { Role } from '../http/role.js';
import { coarseNetwork } from './coarse-network.js';

const ROLE = new RegExp(`^(${Object.values(Role).join('|')})$`);
const PROBLEM_CODE = /^[A-Z][A-Za-z]{1,40}$/;
const NUMBER = /^\d{1,9}$/;

/** The details that may leave the service, and how they look. Each is a word or a number of our own. */
const TOLD_DETAILS: Record<string, RegExp> = {
  from: ROLE,
  to: ROLE,
  role: ROLE,
  auth_method: /^(password|idp)$/,
  code: PROBLEM_CODE,
  reason: PROBLEM_CODE,
  seconds: NUMBER,
  ended: NUMBER,
};

/** What an id of a user is called. */
type Naming = (userId: string) => string;

/**
 * Events as a stranger may read them, one a line: no name or address of anybody, no id, and nothing that a client
 * chose, such as its user agent, which could tell the reader what to write.
 */
export function activityText(events: AuditEvent[], callerId: string): string {
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
  { type, createdAt, actorId, userId, ip, userAgent, details }: AuditEvent,
  nameOf: Naming,
): string {
  const parts = [
    createdAt.toISOString().slice(0, 16),
    type,
    `by ${actorId === null ? 'nobody logged in' : nameOf(actorId)}`,
    userId !== null && `account of ${nameOf(userId)}`,
    ip !== null && `from ${coarseNetwork(ip)}`,
    userAgent !== null && `with ${deviceName(userAgent)}`,
    ...toldDetails(details),
  ];
  return parts.filter(Boolean).join(', ');
}

function toldDetails(details: AuditEvent['details']): string[] {
  return Object.entries(TOLD_DETAILS)
    .filter(([name, form]) => form.test(String(details[name])))
    .map(([name]) => `${name}: ${details[name]}`);
}
