import { ValidateBy } from 'class-validator';
import type { JsonSchema } from './schema.js';

const schemas = new WeakSet<object>();

/** Whether a constraint of class-validator is the schema that a rule of `check` brought along. */
export function isSchemaOfCheck(constraint: unknown): constraint is JsonSchema {
  return typeof constraint === 'object' && constraint !== null && schemas.has(constraint);
}

/** A rule for a property: its test, the sentence that says what it wants, and how the OpenAPI document puts it. */
export function check(
  name: string,
  validate: (value: unknown) => boolean,
  message: string,
  schema: JsonSchema = {},
): PropertyDecorator {
  schemas.add(schema);
  return ValidateBy({ name, constraints: [schema], validator: { validate, defaultMessage: () => message } });
}
