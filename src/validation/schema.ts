declare const DESCRIBED: unique symbol;

/** Under this name a schema stands once in the document, and everywhere else there is a reference to it. */
export const NAME = Symbol('name');

/** A JSON schema (draft 2020-12, as OpenAPI 3.1 takes it). */
export type JsonSchema = { readonly [keyword: string]: unknown; readonly [NAME]?: string };

/** A JSON schema that tells the compiler the type it describes, as it is before it becomes JSON. */
export type Schema<T = unknown> = JsonSchema & { readonly [DESCRIBED]?: T };

/** The type that a schema describes. */
export type Described<S> = S extends Schema<infer T> ? T : never;

/** The fields of an object, each with its schema; none is optional. */
export type Fields = Readonly<Record<string, Schema>>;

export type DescribedFields<F extends Fields> = { [Name in keyof F]: Described<F[Name]> };

export const text: Schema<string> = { type: 'string' };
export const address: Schema<string> = { type: 'string', format: 'email' };
export const uuid: Schema<string> = { type: 'string', format: 'uuid' };
export const flag: Schema<boolean> = { type: 'boolean' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };

/** A moment, in UTC. Where every request answers it, a view writes the text: JSON.stringify takes longer for a Date. */
export const instant: Schema<Date | string> = { type: 'string', format: 'date-time' };

/** A day, in UTC. */
export const day: Schema<string> = { type: 'string', format: 'date' };

/** How many of each, by name. */
export const counts: Schema<Record<string, number>> = { type: 'object', additionalProperties: count };

/** Fields that depend on what the object is about. */
export const anything: Schema<Record<string, unknown>> = { type: 'object', additionalProperties: true };

export function oneOf<T extends string | number>(values: readonly T[]): Schema<T> {
  return { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values };
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return { ...schema, type: [schema.type, 'null'] };
}

/** For a schema with a name, which `nullable` would give two meanings. */
export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return { anyOf: [schema, { type: 'null' }] };
}

export function list<T>(items: Schema<T>): Schema<T[]> {
  return { type: 'array', items };
}

export function object<F extends Fields>(fields: F): Schema<DescribedFields<F>> {
  return { type: 'object', properties: fields, required: Object.keys(fields), additionalProperties: false };
}

/** An object that many answers hold. */
export function named<F extends Fields>(name: string, fields: F): Schema<DescribedFields<F>> {
  return { [NAME]: name, ...object(fields) };
}
