import type { FORMER_AUDIT_TYPES } from '../../../audit/audit-types.js';
import { say, Word } from '../parts/say.js';
import { actInWords, knownActs } from './act-words.js';
import { asked } from './address-query.js';
import { latchkey } from './service.js';

/** The most that one request lists. */
const MOST = 100;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Has words for the events of earlier versions, and is nothing to filter by. */
const FORMER: (typeof FORMER_AUDIT_TYPES)[number] = 'account.signed_up_again';

/** Acts whose types have the beginning in common can be chosen together. */
const FAMILIES = [
  'account',
  'email',
  'identity',
  'invitation',
  'login',
  'member',
  'org',
  'passkey',
  'password',
  'second_step',
  'signup',
  'step_up',
] as const;

/** What the acts of the service begin with, which happen in no organization. */
const OF_SERVICE = /^(cron|delivery|mail)\./;

/** What the filter offers: groups of kinds in words, by type or family. An organization has none of the acts of the service. */
export function kinds(isForSystem: boolean): Record<string, Record<string, string>> {
  const groups = FAMILIES.map((family) => [
    say(Word['filters.acts'], { family }),
    {
      [`${family}.*`]: say(Word['filters.allActs'], { family }),
      ...actsIn((type) => familyOf(type) === family),
    },
  ]);
  const others = actsIn(
    (type) =>
      !FAMILIES.some((family) => family === familyOf(type)) && (isForSystem || !OF_SERVICE.test(type)),
  );
  return { ...Object.fromEntries(groups), [say(Word['filters.acts'], { family: 'others' })]: others };
}

function actsIn(isOne: (type: string) => boolean): Record<string, string> {
  // Before the words have come, what the address asks for stays chosen.
  const types = (knownActs() ?? [asked<string>('type') ?? '']).filter(
    (type) => type !== FORMER && isOne(type),
  );
  return Object.fromEntries(types.map((type) => [type, actInWords(type)]));
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
