import { Param, ParseUUIDPipe } from '@nestjs/common';
import { ValidationFailed } from '../errors/errors.js';

/** The id in a path; anything but a UUID is refused before it reaches SQL. */
export function IdParam(name: string): ParameterDecorator {
  const exceptionFactory = () => new ValidationFailed([{ field: name, messages: ['must be a UUID'] }]);
  return Param(name, new ParseUUIDPipe({ exceptionFactory }));
}
