import { INVITATION_STATUSES, type JudgedInvitation } from '../accounts/invitation.entity.js';
import { Problem } from '../http/problem.js';
import { Role } from '../http/role.js';
import { NamedRoleSchema, namedRoleView } from '../users/named-role.view.js';
import {
  address,
  type Described,
  instant,
  named,
  nullable,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from '../validation/schema.js';

export const InvitationSchema = named('Invitation', {
  id: uuid,
  org_id: uuid,
  email: address,
  role: oneOf(Object.values(Role)),
  custom_role: orNull(NamedRoleSchema),
  locale: nullable(text),
  status: oneOf(INVITATION_STATUSES),
  invited_by: nullable(uuid),
  created_at: instant,
  expires_at: instant,
});

/** What became of one of several addresses: the invitation, or why there is none. */
export const InvitedSchema = named('Invited', {
  email: text,
  invitation: orNull(InvitationSchema),
  problem: orNull(object({ code: text, detail: text })),
});

/** What became of an address. */
export interface Invited {
  email: string;
  outcome: JudgedInvitation | Problem;
}

export function invitedView({ email, outcome }: Invited): Described<typeof InvitedSchema> {
  return outcome instanceof Problem
    ? { email, invitation: null, problem: { code: outcome.code, detail: outcome.message } }
    : { email, invitation: invitationView(outcome), problem: null };
}

/** What a client sees of an invitation; never its token. */
export function invitationView(invitation: JudgedInvitation): Described<typeof InvitationSchema> {
  return {
    id: invitation.id,
    org_id: invitation.orgId,
    email: invitation.email,
    role: invitation.role,
    custom_role: invitation.customRole && namedRoleView(invitation.customRole),
    locale: invitation.locale,
    status: invitation.status,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
  };
}
