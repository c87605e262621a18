import { deviceName } from '../../../http/device-name.js';

/**
 * A name as a sentence without markup can hold it, where there is no `<bdi>`. Names from before the rule for them may have
 * signs that would turn the text that follows.
 */
export function plain(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** What an admin of an organization can make of a member. */
export const MEMBER_ROLES = { readonly: 'Reads only', member: 'Member', org_admin: 'Admin' };

export const ROLES: Record<string, string> = { ...MEMBER_ROLES, sys_admin: 'System admin' };

export function roleInWords(role: string): string {
  return ROLES[role] ?? role;
}

export const SUBSCRIPTIONS: Record<string, [words: string, look: string]> = {
  active: ['Active', 'good'],
  trialing: ['On trial', 'good'],
  past_due: ['Payment is late', 'warn'],
  unpaid: ['Not paid', 'danger'],
  canceled: ['Canceled', ''],
  incomplete: ['Payment is not finished', 'warn'],
  incomplete_expired: ['Payment was not finished', ''],
  paused: ['Paused', ''],
};

/** What the status of a subscription at Stripe means, and the look of its badge. */
export function subscriptionInWords(status: string): [words: string, look: string] {
  return SUBSCRIPTIONS[status] ?? [status, ''];
}

/** Whether a subscription is over for good: no payment brings it back, and another one may begin. */
export function hasEnded(status: string): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** Browser and system that a user agent names, as a line begins. */
export function deviceOf(userAgent: string | null): string {
  const name = deviceName(userAgent);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
