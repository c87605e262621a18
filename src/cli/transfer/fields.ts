import { isISO8601, isRFC3339, isUUID } from 'class-validator';
import { sentenceOf } from '../../validation/reasons.js';

/** The form in which a text is stored; null for a text that is none of the kind. */
type Canonical = (text: string) => string | null;

/** Reads the fields of an object in a line, and notes what is wrong with each. A field that is null is as if absent. */
export class Fields {
  private readonly read = new Set<string>();

  constructor(
    private readonly object: Record<string, unknown>,
    private readonly faults: string[],
    private readonly path = '',
  ) {}

  text(name: string, canonical: Canonical, isWhat: string): string | null {
    const value = this.take(name);
    if (value === null) return null;
    const text = typeof value === 'string' ? canonical(value) : null;
    if (text === null) this.refuse(name, isWhat);
    return text;
  }

  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value !== 'boolean') this.refuse(name, sentenceOf({ code: 'not_a_flag' }));
    return value === true;
  }

  count(name: string): number {
    const value = this.take(name) ?? 0;
    const isCount = Number.isSafeInteger(value) && Number(value) >= 0;
    if (!isCount) this.refuse(name, 'must be a whole number, not below 0');
    return Number(value);
  }

  id(name: string): string | null {
    const canonical = (text: string) => (isUUID(text) ? text.toLowerCase() : null);
    return this.text(name, canonical, sentenceOf({ code: 'not_an_id' }));
  }

  externalId(name = 'external_id'): string | null {
    return this.text(name, matching(/^[!-~]{1,128}$/), 'must be 1 to 128 visible ASCII characters');
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const canonical = (text: string) => values.find((value) => value === text) ?? null;
    return this.text(name, canonical, `must be one of ${values.join(', ')}`) as Value | null;
  }

  /** An instant that has come: what is imported has happened. */
  instant(name: string): Date | null {
    const canonical = (text: string) =>
      isRFC3339(text) && isISO8601(text, { strict: true }) && isPast(new Date(text)) ? text : null;
    const text = this.text(
      name,
      canonical,
      'must be an instant since 1970 that has come, such as 2026-01-31T09:30:00Z',
    );
    return text === null ? null : new Date(text);
  }

  bytes(name: string, { min, max }: { min: number; max: number }): Buffer | null {
    const canonical = (text: string) => (isBase64(text, min, max) ? text : null);
    const text = this.text(name, canonical, `must be ${min} to ${max} bytes in base64url`);
    return text === null ? null : Buffer.from(text, 'base64url');
  }

  texts(name: string, max: number): unknown[] {
    const value = this.take(name) ?? [];
    if (Array.isArray(value) && value.length <= max) return value;
    this.refuse(name, `must be a list of at most ${max}`);
    return [];
  }

  /** The objects of a list, each read by a function, which has to ask for all of its fields. */
  list<Item>(name: string, max: number, read: (fields: Fields) => Item): Item[] {
    return this.texts(name, max).map((item, index) => {
      const path = `${this.path}${name}[${index}]`;
      if (!isObject(item)) {
        this.faults.push(`${path} must be a JSON object`);
        return read(new Fields({}, []));
      }
      const fields = new Fields(item, this.faults, `${path}.`);
      const found = read(fields);
      fields.refuseOthers();
      return found;
    });
  }

  /** The value of a field as it is. */
  take(name: string): unknown {
    this.read.add(name);
    return Object.hasOwn(this.object, name) ? (this.object[name] ?? null) : null;
  }

  refuse(name: string, isWhat: string): void {
    this.faults.push(`${this.path}${name} ${isWhat}`);
  }

  /** Refuses the fields that nobody has asked for: most are typing errors. */
  refuseOthers(): void {
    for (const name of Object.keys(this.object))
      if (!this.read.has(name))
        this.refuse(name.slice(0, 40).replace(/[^ -~]/g, '?'), 'is not a field of this line');
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is stored as it is, where it matches a pattern. */
export function matching(pattern: RegExp): Canonical {
  return (text) => (pattern.test(text) ? text : null);
}

function isPast(instant: Date): boolean {
  return instant.getTime() >= 0 && instant.getTime() <= Date.now();
}

function isBase64(text: string, min: number, max: number): boolean {
  const bytes = Math.floor((text.length * 3) / 4);
  return /^[\w-]*$/.test(text) && bytes >= min && bytes <= max;
}
