import type { User } from './user.entity.js';

/** What a client sees of a user. */
export function userView(user: User) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    email_verified: user.emailVerifiedAt !== null,
    org_id: user.orgId,
    has_password: user.passwordChangedAt !== null,
    created_at: user.createdAt,
  };
}
