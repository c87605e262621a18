import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import type { ValidationError } from 'class-validator';
import * as validatorPackage from 'class-validator';
import { ValidationFailed } from './errors.js';
import { refuseUnlikelyBody } from './json-body.js';
import type { FieldError } from './problem.js';

/** How many queries of a class are kept once they are checked, and how long one of them is at most. */
const MAX_QUERIES = 100;
const MAX_QUERY_LENGTH = 200;

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
  private readonly queries = new Map<unknown, Map<string, unknown>>();

  override transform(value: unknown, metadata: ArgumentMetadata) {
    if (metadata.type === 'query') return this.transformQuery(value, metadata);
    const isParsed = metadata.type === 'body' && value !== undefined && !Buffer.isBuffer(value);
    if (isParsed) refuseUnlikelyBody(value);
    return super.transform(value, metadata);
  }

  /** Keeps some short queries once checked: a proxy sends one of a few with every request, and the check is dear. */
  private async transformQuery(value: unknown, metadata: ArgumentMetadata) {
    const key = JSON.stringify(value) ?? '';
    const kept = this.queries.get(metadata.metatype) ?? new Map<string, unknown>();
    const known = kept.get(key);
    if (known !== undefined) return known;

    const checked = Object.freeze(await super.transform(value, metadata));
    if (kept.size >= MAX_QUERIES) kept.clear();
    if (key.length <= MAX_QUERY_LENGTH) this.queries.set(metadata.metatype, kept.set(key, checked));
    return checked;
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
