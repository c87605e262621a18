import type { latchkey } from './service.js';
import type { User } from './session.js';

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
 * An admin of an organization learns the addresses of its members, and no others. The client is given: a page that loads
 * this file late would else load its other files late as well.
 */
export async function namesFor(
  client: typeof latchkey,
  user: User,
  ids: { people: (string | null)[]; orgs?: (string | null)[] },
): Promise<Names> {
  const isForSystem = user.role === 'sys_admin';
  const org_id = user.org_id;
  const [people, orgs] = await Promise.all([
    isForSystem
      ? named(ids.people, (query) => client.call('GET /users', query))
      : org_id !== null
        ? named(ids.people, (query) => client.listMembers({ org_id, ...query }))
        : [],
    isForSystem ? named(ids.orgs ?? [], (query) => client.call('GET /orgs', query)) : [],
  ]);
  return {
    people: new Map(people.map(({ id, email }) => [id, email])),
    orgs: new Map(orgs.map(({ id, name }) => [id, name])),
    isForSystem,
  };
}

/** The ids are UUIDv7, of which the beginning is the time: enough to find one in a log. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

async function named<T>(
  ids: (string | null)[],
  read: (query: { ids: string; limit: number }) => Promise<{ data: T[] }>,
): Promise<T[]> {
  const asked = [...new Set(ids)].filter((id) => id !== null).slice(0, MOST_IDS);
  if (asked.length === 0) return [];
  return (await read({ ids: asked.join(), limit: MOST_IDS })).data;
}
