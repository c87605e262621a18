/** Every act that is recorded. */
export const AUDIT_TYPES = [
  'account.created',
  'account.deleted',
  'account.disabled',
  'account.enabled',
  'account.secured',
  'account.updated',
  'access.refused',
  'checkout.started',
  'cron.ran',
  'delivery.forgotten',
  'delivery.replayed',
  'delivery.retried',
  'email.change_requested',
  'email.changed',
  'email.verified',
  'factors.reset',
  'identity.linked',
  'identity.unlinked',
  'invitation.declined',
  'invitation.revoked',
  'invitation.sent',
  'login.failed',
  'login.limited',
  'login.pending',
  'login.succeeded',
  'logout',
  'mail.retried',
  'member.joined',
  'member.removed',
  'org.created',
  'org.deleted',
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

/** What earlier versions recorded, which is still read. */
export const FORMER_AUDIT_TYPES = ['account.signed_up_again'] as const;

export type AuditType = (typeof AUDIT_TYPES)[number];

const ALL_TYPES: readonly string[] = [...AUDIT_TYPES, ...FORMER_AUDIT_TYPES];

/** The kinds of acts by the word that their types begin with, such as `login.*`. */
export const AUDIT_FAMILIES = [
  ...new Set(ALL_TYPES.filter((type) => type.includes('.')).map((type) => `${type.split('.')[0]}.*`)),
];

/** The types that a filter names: one, or all of a family. */
export function typesNamed(name: string): string[] {
  return name.endsWith('.*') ? ALL_TYPES.filter((type) => type.startsWith(name.slice(0, -1))) : [name];
}
