import type { CountedOrganization } from './orgs.repository.js';

/** What a client sees of an organization. */
export function orgView({ id, name, memberCount, createdAt }: CountedOrganization) {
  return { id, name, member_count: memberCount, created_at: createdAt };
}
