import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import type { ValidationError } from 'class-validator';
import * as validatorPackage from 'class-validator';
import { type Reason, type ReasonCode, sentenceOf } from '../validation/reasons.js';
import { ValidationFailed } from './errors.js';
import { refuseUnlikelyBody, refuseUnlikelyQuery } from './json-body.js';
import type { FieldError } from './problem.js';

/** How many values of a class are kept, and how long one of them is as JSON at most. */
const MAX_KEPT = 100;
const MAX_KEPT_LENGTH = 200;

/** Of what holds an id many come; and an answer that is quicker for a known id would tell whether it is in use. */
const HOLDS_ID = /[0-9a-f]{8}-[0-9a-f]{4}-/i;

/** TypeScript leaves no trace of an interface, an object type or `any` by which to check a value. */
const WITHOUT_CLASS = 'declare it as a class, by whose rules it can be checked.';

const KEPT = 'validation:kept';

/**
 * Says of a class of queries or bodies that the service keeps what it has checked, because the same few come with every
 * request, and the check is dear. Not for one that may hold a secret.
 */
export const KeptOnceChecked = (): ClassDecorator => Reflect.metadata(KEPT, true);

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
    exceptionFactory: (errors) => new ValidationFailed(errors.map(faultOf)),
  });
}

class StrictPipe extends ValidationPipe {
  private readonly kept = new Map<unknown, Map<string, unknown>>();

  override transform(value: unknown, metadata: ArgumentMetadata) {
    const { metatype, type } = metadata;
    const isParsed = value !== undefined && !Buffer.isBuffer(value);
    if (isParsed && metatype === Object && type !== 'custom')
      throw new TypeError(`${type}: ${WITHOUT_CLASS}`);
    if (isParsed && type === 'body') refuseUnlikelyBody(value);
    if (type === 'query' && typeof value === 'object' && value !== null) refuseUnlikelyQuery(value);
    if (metatype && Reflect.hasMetadata(KEPT, metatype)) return this.transformOnce(value, metadata);
    return super.transform(value, metadata);
  }

  private async transformOnce(value: unknown, metadata: ArgumentMetadata) {
    const key = JSON.stringify(value) ?? '';
    if (key.length > MAX_KEPT_LENGTH || HOLDS_ID.test(key)) return super.transform(value, metadata);
    const kept = this.kept.get(metadata.metatype) ?? new Map<string, unknown>();
    const known = kept.get(key);
    if (known !== undefined) return known;

    const checked = Object.freeze(await super.transform(value, metadata));
    if (kept.size >= MAX_KEPT) kept.clear();
    this.kept.set(metadata.metatype, kept.set(key, checked));
    return checked;
  }
}

/** The reasons of the rules that are class-validator's own. */
const REASONS: Record<string, ReasonCode> = {
  isBoolean: 'not_a_flag',
  isIn: 'not_one_of',
  isInt: 'not_whole',
  isUuid: 'not_an_id',
  whitelistValidation: 'unknown_field',
};

function faultOf({ property, constraints = {}, contexts = {}, children = [] }: ValidationError): FieldError {
  const rules = Object.keys(constraints);
  const below = rules.length > 0 ? [] : children.map(faultOf);
  return {
    field: property,
    messages: [
      ...rules.map((rule) =>
        rule === 'whitelistValidation'
          ? sentenceOf({ code: 'unknown_field' })
          : withoutName(constraints[rule] ?? '', property),
      ),
      ...below.flatMap(({ messages }) => messages),
    ],
    reasons: [
      ...rules.map((rule): Reason => contexts[rule] ?? { code: REASONS[rule] ?? 'not_valid' }),
      ...below.flatMap(({ reasons }) => reasons),
    ],
  };
}

/** class-validator begins its sentences with the property; here the field stands beside them. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
