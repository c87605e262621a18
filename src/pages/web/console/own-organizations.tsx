import { useEffect } from 'preact/hooks';
import { addressOf } from '../parts/facts.js';
import { BUILDING } from '../parts/icons.js';
import { GreyRows } from '../parts/load.js';
import { Row, Rows } from '../parts/rows.js';
import type { OrganizationOfUser, Snapshot } from '../parts/session.js';
import { asked } from './address-query.js';

/** How the address of a screen names the organization that it is about. */
const NAMED_BY: Record<string, string> = { organization: 'id', activity: 'org_id' };

/** The last part of the path. */
export function here(): string {
  return location.pathname.split('/').at(-1) ?? '';
}

/** The id of the organization that the address of this screen names. */
export function presentOrgId(): string | undefined {
  return NAMED_BY[here()] && asked(NAMED_BY[here()] as string);
}

/** The organization that a screen shows to its admin: the one that the address names, or their only one. */
export function presentOrganization(session: Snapshot): OrganizationOfUser | undefined {
  if (session.status !== 'in' || session.user.role === 'sys_admin') return undefined;
  const present = presentOrgId() ?? session.user.org_id;
  return session.organizations.find(({ id }) => id === present);
}

/** The address of a screen about an organization. */
export function addressIn(screen: string, orgId: string): string {
  return addressOf(`admin/${screen}?${NAMED_BY[screen]}=${orgId}`);
}

/** Those that a user administers, of the organizations that they belong to and may enter. */
export function administered(organizations: OrganizationOfUser[]): OrganizationOfUser[] {
  return organizations.filter(({ role, suspended }) => role === 'org_admin' && !suspended);
}

/** The way from a screen whose address names no organization to each one that its user administers. Of one there is no choice. */
export function Choice({ organizations }: { organizations: OrganizationOfUser[] }) {
  const [only, ...others] = organizations;
  const screen = NAMED_BY[here()] ? here() : 'organization';
  const isForced = only !== undefined && others.length === 0;
  useEffect(() => {
    if (isForced) location.replace(addressIn(screen, only.id));
  }, []);
  if (isForced) return <GreyRows />;
  return (
    <Rows>
      {organizations.map(({ id, name }) => (
        <Row key={id} icon={BUILDING}>
          <a href={addressIn(screen, id)}>
            <bdi>{name}</bdi>
          </a>
        </Row>
      ))}
    </Rows>
  );
}

/** At the side of a screen about one of several organizations: which one, and the way to the others that its user administers. */
export function PresentOrganization({ organizations }: { organizations: OrganizationOfUser[] }) {
  const present = organizations.find(({ id }) => id === presentOrgId());
  if (!present || organizations.length === 1) return null;
  const others = administered(organizations).filter(({ id }) => id !== present.id);
  const name = <bdi>{present.name}</bdi>;
  if (others.length === 0) return <p class="present">{name}</p>;
  return (
    <details class="present">
      <summary>{name}</summary>
      {others.map((other) => (
        <a key={other.id} href={addressIn(here(), other.id)}>
          <bdi>{other.name}</bdi>
        </a>
      ))}
    </details>
  );
}
