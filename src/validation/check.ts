import { ValidateBy } from 'class-validator';
import type { JsonSchema } from './schema.js';

/** A rule for a property: its test, the sentence that says what it wants, and how the OpenAPI document puts it. */
export function check(
  name: string,
  validate: (value: unknown) => boolean,
  message: string,
  schema: JsonSchema = {},
): PropertyDecorator {
  return ValidateBy({ name, constraints: [schema], validator: { validate, defaultMessage: () => message } });
}
