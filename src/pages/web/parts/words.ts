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

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS/, 'Firefox'],
  [/Chrome\/|CriOS/, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const;

/** Browser and system that a user agent names: as much as most users know of it. */
export function deviceOf(userAgent: string | null): string {
  const browser = first(BROWSERS, userAgent ?? '');
  const system = first(SYSTEMS, userAgent ?? '');
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Another program';
}

function first(names: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}

export const ACTS: Record<string, string> = {
  'account.created': 'Account made',
  'account.deleted': 'Account deleted',
  'account.disabled': 'Account disabled',
  'account.enabled': 'Account enabled',
  'account.secured': 'Account secured by its mail',
  'account.updated': 'Name changed',
  'access.refused': 'Access refused',
  'checkout.started': 'Checkout begun',
  'cron.ran': 'Cron run',
  'delivery.forgotten': 'Waiting events for a back end deleted',
  'delivery.replayed': 'Events sent to a back end again',
  'delivery.retried': 'Event that was given up sent again',
  'email.change_requested': 'Change of address asked for',
  'email.changed': 'Address changed',
  'email.verified': 'Address confirmed',
  'factors.reset': 'Second factors removed by an admin',
  'identity.linked': 'Login at a provider linked',
  'identity.unlinked': 'Login at a provider unlinked',
  'invitation.declined': 'Invitation declined',
  'invitation.revoked': 'Invitation taken back',
  'invitation.sent': 'Invitation sent',
  'login.failed': 'Login failed',
  'login.limited': 'Login refused after too many attempts',
  'login.pending': 'Login waits for its second step',
  'login.succeeded': 'Logged in',
  logout: 'Logged out',
  'mail.retried': 'Mail sent again',
  'member.joined': 'Joined the organization',
  'member.removed': 'Left the organization',
  'org.created': 'Organization made',
  'org.deleted': 'Organization deleted',
  'org.updated': 'Organization changed',
  'passkey.added': 'Passkey added',
  'passkey.removed': 'Passkey removed',
  'passkey.renamed': 'Passkey renamed',
  'password.changed': 'Password changed',
  'password.link_requested': 'Link for a new password asked for',
  'password.removed': 'Password removed',
  'password.reset': 'Password set by a mailed link',
  'portal.opened': 'Billing opened at Stripe',
  'recovery_code.used': 'Recovery code used',
  'recovery_codes.made': 'Recovery codes made',
  'role.changed': 'Role changed',
  'second_step.off': 'Second step turned off',
  'second_step.on': 'Second step turned on',
  'session.ended': 'Session ended',
  'sessions.ended': 'Sessions ended',
  'signup.ended': 'Signup ended',
  'signup.started': 'Signed up',
  'step_up.failed': 'Proof of who you are failed',
  'step_up.succeeded': 'Proved who you are',
  'subscription.changed': 'Subscription changed',
};

/** What an audit event records. A type that these pages do not know yet is shown as it is. */
export function actInWords(type: string): string {
  return ACTS[type] ?? type;
}
