import { INVITATION_STATUSES, type JudgedInvitation } from '../accounts/invitation.entity.js';
import { Role } from '../http/role.js';
import { address, type Described, instant, named, nullable, oneOf, uuid } from '../validation/schema.js';

export const InvitationSchema = named('Invitation', {
  id: uuid,
  org_id: uuid,
  email: address,
  role: oneOf(Object.values(Role)),
  status: oneOf(INVITATION_STATUSES),
  invited_by: nullable(uuid),
  created_at: instant,
  expires_at: instant,
});

/** What a client sees of an invitation; never its token. */
export function invitationView(invitation: JudgedInvitation): Described<typeof InvitationSchema> {
  return {
    id: invitation.id,
    org_id: invitation.orgId,
    email: invitation.email,
    role: invitation.role,
    status: invitation.status,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
  };
}
