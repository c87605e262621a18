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
  'email.change_requested',
  'email.changed',
  'email.verified',
  'identity.linked',
  'identity.unlinked',
  'invitation.declined',
  'invitation.revoked',
  'invitation.sent',
  'login.failed',
  'login.limited',
  'login.succeeded',
  'logout',
  'member.joined',
  'member.removed',
  'org.created',
  'org.deleted',
  'org.updated',
  'password.changed',
  'password.link_requested',
  'password.reset',
  'portal.opened',
  'role.changed',
  'session.ended',
  'sessions.ended',
  'signup.ended',
  'signup.started',
  'subscription.changed',
] as const;

/** What earlier versions recorded, which is still read. */
export const FORMER_AUDIT_TYPES = ['account.signed_up_again'] as const;

export type AuditType = (typeof AUDIT_TYPES)[number];
