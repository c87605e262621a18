import { ValidateBy } from 'class-validator';

/** A rule for a property, by a test and the sentence that says what it wants. */
export function check(
  name: string,
  validate: (value: unknown) => boolean,
  message: string,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
}
