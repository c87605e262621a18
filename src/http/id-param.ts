import { Param, type PipeTransform } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { ValidationFailed } from './errors.js';
import { fieldError } from './problem.js';

/** The id in a path, in the form of the database's ids. Anything but a UUID is refused before it reaches SQL. */
export function IdParam(name: string): ParameterDecorator {
  return Param(name, new CanonicalId(name));
}

class CanonicalId implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  /** In lower case: an id in capitals names the same row, and must not count as another when two are compared. */
  transform(id: string): string {
    if (!isUUID(id)) throw new ValidationFailed([fieldError(this.name, { code: 'not_an_id' })]);
    return id.toLowerCase();
  }
}
