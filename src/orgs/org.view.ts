import type { CountedOrg } from '../accounts/orgs.repository.js';
import { count, type Described, flag, instant, named, nullable, text, uuid } from '../validation/schema.js';

export const OrganizationSchema = named('Organization', {
  id: uuid,
  name: text,
  locale: nullable(text),
  member_count: count,
  second_factor_required: flag,
  created_at: instant,
});

/** What a client sees of an organization. */
export function orgView({
  id,
  name,
  locale,
  memberCount,
  secondFactorRequiredAt,
  createdAt,
}: CountedOrg): Described<typeof OrganizationSchema> {
  return {
    id,
    name,
    locale,
    member_count: memberCount,
    second_factor_required: secondFactorRequiredAt !== null,
    created_at: createdAt,
  };
}
