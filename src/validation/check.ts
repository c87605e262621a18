import { ValidateBy } from 'class-validator';
import { type Reason, sentenceOf } from './reasons.js';
import type { JsonSchema } from './schema.js';

const schemas = new WeakSet<object>();

/** Whether a constraint of class-validator is the schema that a rule of `check` brought along. */
export function isSchemaOfCheck(constraint: unknown): constraint is JsonSchema {
  return typeof constraint === 'object' && constraint !== null && schemas.has(constraint);
}

/**
 * A rule for a property: its test, why it refuses a value, and how the OpenAPI document puts it. A sentence is for what no
 * request has, such as a setting.
 */
export function check(
  name: string,
  validate: (value: unknown) => boolean,
  reason: Reason | string,
  schema: JsonSchema = {},
): PropertyDecorator {
  schemas.add(schema);
  const message = typeof reason === 'string' ? reason : sentenceOf(reason);
  return ValidateBy(
    { name, constraints: [schema], validator: { validate, defaultMessage: () => message } },
    typeof reason === 'string' ? {} : { context: reason },
  );
}
