import type { CountedOrg } from '../accounts/orgs.repository.js';
import { count, type Described, flag, instant, named, text, uuid } from '../validation/schema.js';

export const OrganizationSchema = named('Organization', {
  id: uuid,
  name: text,
  member_count: count,
  second_factor_required: flag,
  created_at: instant,
});

/** What a client sees of an organization. */
export function orgView({
  id,
  name,
  memberCount,
  secondFactorRequiredAt,
  createdAt,
}: CountedOrg): Described<typeof OrganizationSchema> {
  return {
    id,
    name,
    member_count: memberCount,
    second_factor_required: secondFactorRequiredAt !== null,
    created_at: createdAt,
  };
}
