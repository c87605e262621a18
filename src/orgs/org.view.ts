import type { CountedOrg } from '../accounts/orgs.repository.js';
import { count, type Described, flag, instant, named, nullable, text, uuid } from '../validation/schema.js';

const FIELDS = {
  id: uuid,
  name: text,
  locale: nullable(text),
  member_count: count,
  second_factor_required: flag,
  created_at: instant,
};

export const OrganizationSchema = named('Organization', FIELDS);

export const ManagedOrganizationSchema = named('ManagedOrganization', {
  ...FIELDS,
  external_id: nullable(text),
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

/** What a SYSTEM_ADMIN, and a back end of the product, is told of an organization. */
export function managedOrgView(org: CountedOrg): Described<typeof ManagedOrganizationSchema> {
  return { ...orgView(org), external_id: org.externalId };
}
