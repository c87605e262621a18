/**
 * The audit types that webhooks send, and what each is about: the state of that subject goes along. No other type
 * leaves the service; among those are failed logins, refusals, and links that were asked for.
 */
export const EVENT_SUBJECTS = {
  'account.created': 'user',
  'account.deleted': 'user',
  'account.disabled': 'user',
  'account.enabled': 'user',
  'account.secured': 'user',
  'account.updated': 'user',
  'acting.ended': 'user',
  'acting.started': 'user',
  'custom_role.changed': 'role',
  'custom_role.made': 'role',
  'custom_role.removed': 'role',
  'dunning.mailed': 'subscription',
  'email.changed': 'user',
  'email.verified': 'user',
  'factors.reset': 'user',
  'identity.linked': 'user',
  'identity.unlinked': 'user',
  'login.succeeded': 'user',
  logout: 'user',
  'member.joined': 'user',
  'member.removed': 'user',
  'member.resumed': 'user',
  'member.suspended': 'user',
  'org.created': 'org',
  'org.deleted': 'org',
  'org.policy_changed': 'org',
  'org.updated': 'org',
  'passkey.added': 'user',
  'passkey.removed': 'user',
  'passkey.renamed': 'user',
  'password.changed': 'user',
  'password.removed': 'user',
  'password.reset': 'user',
  'role.changed': 'user',
  'second_step.off': 'user',
  'second_step.on': 'user',
  'session.ended': 'user',
  'sessions.ended': 'user',
  'subscription.changed': 'subscription',
} as const;

export type EventType = keyof typeof EVENT_SUBJECTS;
export type EventSubject = (typeof EVENT_SUBJECTS)[EventType];

export const EVENT_TYPES = Object.keys(EVENT_SUBJECTS) as EventType[];

/** The types that an entry of `types` asks for: one, those of a family such as `account.*`, or all for `*`. */
export function eventTypesNamed(entry: string): EventType[] {
  const prefix = entry === '*' ? '' : /^[a-z_]+\.(?=\*$)/.exec(entry)?.[0];
  return EVENT_TYPES.filter((type) => (prefix === undefined ? type === entry : type.startsWith(prefix)));
}
