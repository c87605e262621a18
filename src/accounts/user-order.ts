import type { Order, Place } from '../http/page.js';
import { ROLES_IN_ORDER } from '../http/role.js';
import { ROLE } from './users.repository.js';

/** Adds a value to the parameters of a statement, and returns its place among them. */
export type Bind = (value: unknown) => string;

/** What users are sorted by: SQL for the key, and which texts of a cursor can be one. All but the role have an index. */
interface SortKey {
  sql: string;
  type: string;
  isKey: (key: string) => boolean;
}

const SORT_KEYS = {
  created_at: { sql: 'u.id', type: 'uuid', isKey: () => true },
  email: { sql: 'u.email', type: 'text', isKey: () => true },
  // Where there is no name people read the address in its place.
  name: { sql: 'lower(coalesce(u.name, u.email))', type: 'text', isKey: () => true },
  role: {
    sql: `array_position('{${ROLES_IN_ORDER.join()}}', ${ROLE})`,
    type: 'int',
    isKey: (key) => /^[1-4]$/.test(key),
  },
  last_login_at: { sql: 'l.logged_in_at', type: 'timestamptz', isKey: isInstantOrNever },
} satisfies Record<string, SortKey>;

type SortName = keyof typeof SORT_KEYS;

/** How a client asks for an order; with a hyphen the highest comes first. */
export type UserSort = SortName | `-${SortName}`;

export const USER_SORTS = Object.keys(SORT_KEYS).flatMap((name) => [name, `-${name}`]) as UserSort[];

/** Those for the eyes of an organization: when its members last logged in is none of its business. */
export const MEMBER_SORTS = USER_SORTS.filter((sort) => nameOf(sort) !== 'last_login_at');

/** An order of a list of users, as SQL: `u` is a user, `m` their membership, and `l` their last login. */
export class UserOrder implements Order {
  readonly isByLogin: boolean;
  readonly isByAge: boolean;
  readonly isByRole: boolean;
  private readonly key: SortKey;
  readonly direction: 'ASC' | 'DESC';

  constructor(readonly sort: UserSort) {
    const name = nameOf(sort);
    this.isByLogin = name === 'last_login_at';
    this.isByAge = name === 'created_at';
    this.isByRole = name === 'role';
    this.key = SORT_KEYS[name];
    this.direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  }

  isKey(text: string): boolean {
    return this.key.isKey(text);
  }

  /** The key of a user, who has logged in where it is that. */
  get sql(): string {
    return this.key.sql;
  }

  /** The id in the index of the key. */
  get id(): string {
    return this.isByLogin ? 'l.user_id' : 'u.id';
  }

  /** The key of any user. */
  get sqlOfAny(): string {
    return this.isByLogin
      ? `coalesce((SELECT l.logged_in_at FROM last_logins l WHERE l.user_id = u.id), '${this.never}')`
      : this.key.sql;
  }

  /** The text for a cursor of a key. */
  textOf(key: string): string {
    return this.isByLogin
      ? `CASE WHEN isfinite(${key}) THEN to_char(${key}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ELSE '' END`
      : `${key}::text`;
  }

  /** The order of those whose key is the same. */
  get byId(): string {
    return `u.id ${this.direction}`;
  }

  by(key: string, id = 'u.id'): string {
    return this.isByAge ? this.byId : `${key} ${this.direction}, ${id} ${this.direction}`;
  }

  /** Whether a user comes after a place. */
  isAfter(place: Place, key: string, bind: Bind, id = 'u.id'): string {
    if (this.isByAge) return this.isAfterById(place, bind);
    const sign = this.sign;
    const placeKey = `${bind(place.key === '' && this.isByLogin ? this.never : place.key)}::${this.key.type}`;
    return `(${key}, ${id}) ${sign} (${placeKey}, ${bind(place.id)}::uuid)`;
  }

  /** The same among those whose key is that of the place. */
  isAfterById(place: Place, bind: Bind): string {
    return `u.id ${this.sign} ${bind(place.id)}::uuid`;
  }

  private get sign(): string {
    return this.direction === 'ASC' ? '>' : '<';
  }

  /** What stands for the login of a user who never logged in: they come last in either direction. */
  get never(): string {
    return this.direction === 'ASC' ? 'infinity' : '-infinity';
  }
}

function nameOf(sort: UserSort): SortName {
  return sort.replace('-', '') as SortName;
}

/** An instant as `textOf` writes it, or nothing for a user who never logged in. */
function isInstantOrNever(text: string): boolean {
  return (
    text === '' || (/^\d{4}-/.test(text) && Date.parse(text) >= 0 && new Date(text).toISOString() === text)
  );
}
