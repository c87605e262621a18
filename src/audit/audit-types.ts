/** Every act that is recorded. What people call it is said by `act.…` of the catalogue. */
export const AUDIT_TYPES = [
  'account.created',
  'account.deleted',
  'account.disabled',
  'account.enabled',
  'account.exported',
  'account.secured',
  'account.updated',
  'access.refused',
  'acting.ended',
  'acting.started',
  'checkout.started',
  'cron.ran',
  'custom_role.changed',
  'custom_role.made',
  'custom_role.removed',
  'delivery.forgotten',
  'delivery.replayed',
  'delivery.retried',
  'dunning.mailed',
  'email.change_canceled',
  'email.change_requested',
  'email.changed',
  'email.verified',
  'email_code.requested',
  'factors.reset',
  'factors.reset_requested',
  'identity.linked',
  'identity.unlinked',
  'invitation.declined',
  'invitation.revoked',
  'invitation.sent',
  'key.ended',
  'key.made',
  'key.refused',
  'key.rotated',
  'key.secret_ended',
  'list.exported',
  'login.failed',
  'login.limited',
  'login.pending',
  'login.succeeded',
  'logout',
  'mail.retried',
  'mail.tested',
  'member.entered',
  'member.joined',
  'member.removed',
  'member.resumed',
  'member.suspended',
  'org.created',
  'org.deleted',
  'org.policy_changed',
  'org.updated',
  'passkey.added',
  'passkey.removed',
  'passkey.renamed',
  'password.changed',
  'password.link_requested',
  'password.removed',
  'password.reset',
  'portal.opened',
  'recovery_code.used',
  'recovery_codes.made',
  'role.changed',
  'second_step.off',
  'second_step.on',
  'session.ended',
  'sessions.ended',
  'signup.ended',
  'signup.started',
  'step_up.failed',
  'step_up.succeeded',
  'subscription.changed',
] as const;

export type AuditType = (typeof AUDIT_TYPES)[number];

/** What earlier versions recorded, which is still read. */
export const FORMER_AUDIT_TYPES = ['account.signed_up_again'] as const;

const ALL_TYPES: readonly string[] = [...AUDIT_TYPES, ...FORMER_AUDIT_TYPES];

/** What the types begin with of acts that concern a person alone, and no organization. */
const OF_PERSON = [
  'account',
  'email',
  'email_code',
  'identity',
  'login',
  'logout',
  'passkey',
  'password',
  'recovery_code',
  'recovery_codes',
  'second_step',
  'session',
  'sessions',
  'signup',
  'step_up',
];

/** Whether an act concerns a person alone. A request to reset factors is one of the organization whose admin makes it. */
export function isOfPerson(type: AuditType): boolean {
  return type === 'factors.reset' || OF_PERSON.includes(type.split('.')[0] as string);
}

/** The kinds of acts by the word that their types begin with, such as `login.*`. */
export const AUDIT_FAMILIES = [
  ...new Set(ALL_TYPES.filter((type) => type.includes('.')).map((type) => `${type.split('.')[0]}.*`)),
];

/** The types that a filter names: one, or all of a family. */
export function typesNamed(name: string): string[] {
  return name.endsWith('.*') ? ALL_TYPES.filter((type) => type.startsWith(name.slice(0, -1))) : [name];
}
