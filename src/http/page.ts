import { IsOptional, isUUID } from 'class-validator';
import { check } from '../validation/check.js';
import { WholeNumber } from '../validation/rules.js';
import { list, nullable, type Schema, text } from '../validation/schema.js';

/** One page of a list, and the cursor of the next page. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** The fields of a page as a client sees it. */
export const pageFields = <T>(item: Schema<T>) => ({ data: list(item), next_cursor: nullable(text) });

/** The page that a client asks for. */
export class PageQuery {
  @WholeNumber({ min: 1, max: 100 })
  readonly limit: number = 50;

  @IsOptional()
  @check('isCursor', (value) => idIn(value) !== null, 'must be a next_cursor of this list', {
    type: 'string',
  })
  readonly cursor?: string;
}

/**
 * A page of what `find` gives, newest first. The key is the id: a UUIDv7 begins with its time, so that rows that
 * come or go between two pages neither repeat nor hide another.
 */
export async function pageOf<T extends { id: string }>(
  { limit, cursor }: PageQuery,
  find: (before: string | null, limit: number) => Promise<T[]>,
): Promise<Page<T>> {
  const rows = await find(cursor === undefined ? null : idIn(cursor), limit + 1);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    nextCursor: rows.length > limit && last ? Buffer.from(last.id).toString('base64url') : null,
  };
}

/** The id in a cursor, or null when it is none of ours. */
function idIn(cursor: unknown): string | null {
  if (typeof cursor !== 'string') return null;
  const id = Buffer.from(cursor, 'base64url').toString();
  return isUUID(id) ? id : null;
}
