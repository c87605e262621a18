import { applyDecorators } from '@nestjs/common';
import { IsOptional, isUUID } from 'class-validator';
import { check } from '../validation/check.js';
import { WholeNumber } from '../validation/rules.js';
import { count, list, nullable, type Schema, text } from '../validation/schema.js';
import { ValidationFailed } from './errors.js';
import { fieldError } from './problem.js';

/** Where the count of a list stops: of more a person needs no exact number, and it would take long. */
export const MOST_LISTED = 1_000;

/** One page of a list, and the cursor of the next page. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** The first page says how many rows the whole list has, up to MOST_LISTED, where that is quickly counted. */
export interface CountedPage<T> extends Page<T> {
  total: number | null;
}

/** The fields of a page as a client sees it. */
export const pageFields = <T>(item: Schema<T>) => ({ data: list(item), next_cursor: nullable(text) });

/** The fields of a page with a count. */
export const countedPageFields = <T>(item: Schema<T>) => ({ ...pageFields(item), total: nullable(count) });

/** A row in a list, by what the list is sorted by. */
export interface Place {
  key: string;
  id: string;
}

/** A row, and the key of its place. */
export type Placed<T> = T & { sortKey: string };

/** An order of a list. */
export interface Order {
  /** As a client asks for it. */
  sort: string;
  /** Whether a text is the key of a place in it: a cursor may be forged. */
  isKey: (key: string) => boolean;
}

/** The order of a list that has no other. */
const NEWEST_FIRST: Order = { sort: '-created_at', isKey: (key) => isUUID(key) };

/** Rows on a page. */
export const IsLimit = () => WholeNumber({ min: 1, max: 100 });

export const IsCursor = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    check(
      'isCursor',
      (value) => readCursor(value) !== null,
      { code: 'not_a_cursor' },
      {
        type: 'string',
      },
    ),
  );

/** The page that a client asks for. */
export class PageQuery {
  @IsLimit()
  readonly limit: number = 50;

  @IsCursor()
  readonly cursor?: string;
}

/**
 * A page of what `find` gives, newest first. The key is the id: a UUIDv7 begins with its time, so that rows that
 * come or go between two pages neither repeat nor hide another. Throws ValidationFailed for a cursor of another order.
 */
export async function pageOf<T extends { id: string }>(
  query: PageQuery,
  find: (before: string | null, limit: number) => Promise<T[]>,
): Promise<Page<T>> {
  const after = placeIn(query, NEWEST_FIRST);
  return cut(query, await find(after?.id ?? null, query.limit + 1), ({ id }) =>
    cursorAt(NEWEST_FIRST, { key: id, id }),
  );
}

/** A page of what `find` gives in an order that the client chose. Throws ValidationFailed for a cursor of another order. */
export async function pageInOrder<T extends { id: string }>(
  query: PageQuery,
  order: Order,
  find: (after: Place | null, limit: number) => Promise<Placed<T>[]>,
): Promise<Page<T>> {
  const rows = await find(placeIn(query, order), query.limit + 1);
  return cut(query, rows, ({ sortKey, id }) => cursorAt(order, { key: sortKey, id }));
}

/** Counts the rows of a list, which is dear, only where the first page does not hold all of them. */
export async function withTotal<T>(
  { cursor }: PageQuery,
  page: Page<T>,
  countAll: () => Promise<number | null>,
): Promise<CountedPage<T>> {
  if (cursor !== undefined) return { ...page, total: null };
  return { ...page, total: page.nextCursor === null ? page.data.length : await countAll() };
}

function cut<T>({ limit }: PageQuery, rows: T[], cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last ? cursorOf(last) : null };
}

/** Of the order of most lists the id says all. */
function cursorAt({ sort }: Order, { key, id }: Place): string {
  return Buffer.from(sort === NEWEST_FIRST.sort ? id : JSON.stringify([sort, key, id])).toString('base64url');
}

function placeIn({ cursor }: PageQuery, order: Order): Place | null {
  if (cursor === undefined) return null;
  const place = readCursor(cursor);
  if (place?.sort === order.sort && order.isKey(place.key)) return place;
  throw new ValidationFailed([fieldError('cursor', { code: 'not_of_this_order' })]);
}

/** The place in a cursor, and the order it is in; null when it is none of ours. */
function readCursor(cursor: unknown): (Place & { sort: string }) | null {
  if (typeof cursor !== 'string') return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (isUUID(text)) return { sort: NEWEST_FIRST.sort, key: text, id: text };
  const [sort, key, id] = text.startsWith('[') ? partsOf(text) : [];
  const isPlace = typeof sort === 'string' && typeof key === 'string' && !key.includes('\0') && isUUID(id);
  return isPlace ? { sort, key, id } : null;
}

// biome-ignore lint/suspicious/noExplicitAny: the caller looks at what it is.
function partsOf(json: string): any[] {
  try {
    return JSON.parse(json);
  } catch {
    return [];
  }
}
