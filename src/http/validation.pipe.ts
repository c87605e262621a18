import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import type { ValidationError } from 'class-validator';
import * as validatorPackage from 'class-validator';
import { ValidationFailed } from './errors.js';
import { refuseUnlikelyBody } from './json-body.js';
import type { FieldError } from './problem.js';

/** Checks every body, path and query. It refuses fields that the class does not name, rather than ignore them. */
export function validationPipe(): ValidationPipe {
  return new StrictPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    // Nest would import them by itself, and not find them in the bundle.
    validatorPackage,
    transformerPackage,
    exceptionFactory: (errors) => new ValidationFailed(errors.map(fieldError)),
  });
}

class StrictPipe extends ValidationPipe {
  override transform(value: unknown, metadata: ArgumentMetadata) {
    const isParsed = metadata.type === 'body' && value !== undefined && !Buffer.isBuffer(value);
    if (isParsed) refuseUnlikelyBody(value);
    return super.transform(value, metadata);
  }
}

function fieldError({ property, constraints = {}, children = [] }: ValidationError): FieldError {
  const messages = Object.entries(constraints).map(([rule, message]) =>
    rule === 'whitelistValidation' ? 'is not a field of this request' : withoutName(message, property),
  );
  return {
    field: property,
    messages: messages.length > 0 ? messages : children.flatMap((child) => fieldError(child).messages),
  };
}

/** class-validator begins its sentences with the property; here the field stands beside them. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
