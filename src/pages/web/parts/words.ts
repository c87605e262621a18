import { say, Word } from './say.js';
import type { User } from './session.js';

/**
 * A name as a sentence without markup can hold it, where there is no `<bdi>`. Names from before the rule for them may have
 * signs that would turn the text that follows.
 */
export function plain(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** What an admin of an organization can make of a member. */
export const MEMBER_ROLES = ['readonly', 'member', 'org_admin'] as const;

export const ROLES = [...MEMBER_ROLES, 'sys_admin'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

type Role = (typeof ROLES)[number];

export function roleInWords(role: string): string {
  return ROLES.includes(role as Role) ? say(Word['parts.role'], { role: role as Role }) : role;
}

/** Roles to choose from, in words by their names. */
export function rolesInWords(roles: readonly Role[]): Record<string, string> {
  return Object.fromEntries(roles.map((role) => [role, roleInWords(role)]));
}

/** The look of the badge of each status of a subscription at Stripe. */
const LOOKS = {
  active: 'good',
  trialing: 'good',
  past_due: 'warn',
  unpaid: 'danger',
  canceled: '',
  incomplete: 'warn',
  incomplete_expired: '',
  paused: '',
};

/** What the status of a subscription at Stripe means, and the look of its badge. */
export function subscriptionInWords(status: string): [words: string, look: string] {
  if (!Object.hasOwn(LOOKS, status)) return [status, ''];
  const known = status as keyof typeof LOOKS;
  return [say(Word['parts.subscription'], { status: known }), LOOKS[known]];
}

/** The statuses to choose from, in words by their names. */
export function statusesInWords(): Record<string, string> {
  return Object.fromEntries(Object.keys(LOOKS).map((status) => [status, subscriptionInWords(status)[0]]));
}

/** Whether a subscription is over for good: no payment brings it back, and another one may begin. */
export function hasEnded(status: string): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** What stands in place of an address. The admin of an organization cannot tell a deleted user from one who is no member. */
export function strangerInWords(id: string, { role }: User): string {
  return say(role === 'sys_admin' ? Word['parts.deletedUser'] : Word['parts.noMember'], { id: shortId(id) });
}

/** The ids are UUIDv7, of which the beginning is the time: enough to find one in a log. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
