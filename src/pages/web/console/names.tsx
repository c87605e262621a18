import { WithAddress } from '../parts/address.js';
import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';

/** As many as one request may name. */
const MOST_IDS = 100;

/** What people and organizations are called, by their ids. */
export interface Names {
  people: ReadonlyMap<string, string>;
  orgs: ReadonlyMap<string, string>;
  isForSystem: boolean;
}

/**
 * Asks once for the addresses of people and once for the names of organizations, for all fields of the rows that name them.
 * An admin of an organization learns the addresses of its members, and no others.
 */
export async function namesFor(
  user: User,
  ids: { people: (string | null)[]; orgs?: (string | null)[] },
): Promise<Names> {
  const isForSystem = user.role === 'sys_admin';
  const org_id = user.org_id;
  const [people, orgs] = await Promise.all([
    isForSystem
      ? named(ids.people, (query) => latchkey.listUsers(query))
      : org_id !== null
        ? named(ids.people, (query) => latchkey.listMembers({ org_id, ...query }))
        : [],
    isForSystem ? named(ids.orgs ?? [], (query) => latchkey.listOrgs(query)) : [],
  ]);
  return {
    people: new Map(people.map(({ id, email }) => [id, email])),
    orgs: new Map(orgs.map(({ id, name }) => [id, name])),
    isForSystem,
  };
}

/** The address of a user, which for a system admin leads to their screen. */
export function Person({ id, names: { people, isForSystem } }: { id: string; names: Names }) {
  const email = people.get(id);
  // The admin of an organization cannot tell a deleted user from one who is no member.
  if (email === undefined)
    return <span class="quiet">{`${isForSystem ? 'deleted' : 'no member'}, ${short(id)}`}</span>;
  const shown = <WithAddress>{email}</WithAddress>;
  return isForSystem ? <a href={addressOf(`admin/user?id=${id}`)}>{shown}</a> : <span>{shown}</span>;
}

/** The name of an organization, which leads to its screen. */
export function OrgName({ id, names: { orgs } }: { id: string; names: Names }) {
  const name = orgs.get(id);
  if (name === undefined) return <span class="quiet">{`deleted, ${short(id)}`}</span>;
  return (
    <a href={addressOf(`admin/organization?id=${id}`)}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** The way of a system admin to what was mailed to an address, and what became of it. */
export function MailsTo({ email }: { email: string }) {
  return (
    <ButtonLink
      weight="words"
      href={addressOf(`admin/mail?${new URLSearchParams({ to: email })}`)}
      aria-label={`Mails to ${email}`}
    >
      Mails
    </ButtonLink>
  );
}

async function named<T>(
  ids: (string | null)[],
  read: (query: { ids: string; limit: number }) => Promise<{ data: T[] }>,
): Promise<T[]> {
  const asked = [...new Set(ids)].filter((id) => id !== null).slice(0, MOST_IDS);
  if (asked.length === 0) return [];
  return (await read({ ids: asked.join(), limit: MOST_IDS })).data;
}

/** The ids are UUIDv7, of which the beginning is the time: enough to find one in a log. */
function short(id: string): string {
  return id.slice(0, 8);
}
