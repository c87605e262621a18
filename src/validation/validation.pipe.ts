import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ValidationFailed } from '../errors/errors.js';
import type { FieldFault } from '../errors/problem.js';

/** Checks every body, path and query; what a class does not name is refused, never ignored. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => new ValidationFailed(errors.map(fault)),
  });
}

function fault({ property, constraints = {}, children = [] }: ValidationError): FieldFault {
  const messages = Object.entries(constraints).map(([rule, message]) =>
    rule === 'whitelistValidation' ? 'is not a field of this request' : withoutName(message, property),
  );
  return {
    field: property,
    messages: messages.length > 0 ? messages : children.flatMap((child) => fault(child).messages),
  };
}

/** class-validator begins its sentences with the property; here the field stands beside them. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
