import { ACTS } from '../../../audit/acts.js';
import { latchkey } from './service.js';

/** The most that one request lists. */
const MOST = 100;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The kinds of acts by their words. Those that a prefix of the type has in common can be chosen together. */
const FAMILIES: Record<string, string> = {
  account: 'Accounts',
  email: 'Addresses',
  identity: 'Logins at providers',
  invitation: 'Invitations',
  login: 'Logins',
  member: 'Members',
  org: 'Organizations',
  passkey: 'Passkeys',
  password: 'Passwords',
  second_step: 'Second step',
  signup: 'Signups',
  step_up: 'Proofs of who one is',
};

/** What the filter offers: groups of kinds in words, by type or family. */
export const KINDS: Record<string, Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(FAMILIES).map(([family, words]) => [
      words,
      { [`${family}.*`]: `${words}: all`, ...actsIn((type) => familyOf(type) === family) },
    ]),
  ),
  Other: actsIn((type) => !(familyOf(type) in FAMILIES)),
};

function actsIn(isOne: (type: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(ACTS).filter(([type]) => isOne(type)));
}

function familyOf(type: string): string {
  return type.split('.')[0] ?? '';
}

/** Both days count whole, in the time zone of the browser. A text that is no day bounds nothing. */
export function boundsOf(from = '', until = ''): { since?: string; until?: string } {
  const [first, last] = [startOf(from), startOf(until)];
  last?.setDate(last.getDate() + 1);
  return { ...(first && { since: first.toISOString() }), ...(last && { until: last.toISOString() }) };
}

function startOf(day: string): Date | null {
  const start = new Date(`${day}T00:00`);
  return Number.isNaN(start.getTime()) ? null : start;
}

/** The id of an organization, named by its name, by a part of it that no other has, or by its id. Null where it is not one. */
export async function orgNamed(named: string): Promise<string | null> {
  const name = named.trim();
  if (UUID.test(name)) return name;
  const { data } = await latchkey.listOrgs({ name, limit: MOST });
  const exact = data.filter((org) => org.name.toLowerCase() === name.toLowerCase());
  const [only, other] = exact.length > 0 ? exact : data;
  return only && !other ? only.id : null;
}
