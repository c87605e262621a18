import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { check } from '../validation/check.js';

/** What an operator wrote of an entry, before it is checked. */
export type Written = Record<string, unknown>;

/** A JSON list of objects, each of which becomes an entry that is checked by its own rules. */
export function JsonListOf<Entry extends object>(asEntry: (written: Written) => Entry): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? parseList(value, asEntry) : value)),
    check('isJsonList', Array.isArray, 'must be a JSON list of objects'),
    ValidateNested({ each: true }),
  );
}

/** Returns null for a text that is no list of objects; the parser's error would quote it, with the secrets in it. */
function parseList<Entry>(text: string, asEntry: (written: Written) => Entry): Entry[] | null {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) && entries.every(isObject) ? entries.map(asEntry) : null;
  } catch {
    return null;
  }
}

function isObject(entry: unknown): entry is Written {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry);
}
