import { count, type Described, instant, named, text, uuid } from '../validation/schema.js';
import type { CountedOrganization } from './orgs.repository.js';

export const OrganizationSchema = named('Organization', {
  id: uuid,
  name: text,
  member_count: count,
  created_at: instant,
});

/** What a client sees of an organization. */
export function orgView({
  id,
  name,
  memberCount,
  createdAt,
}: CountedOrganization): Described<typeof OrganizationSchema> {
  return { id, name, member_count: memberCount, created_at: createdAt };
}
