import type { Type } from '@nestjs/common';
import { getMetadataStorage, IS_OPTIONAL } from 'class-validator';
import { isSchemaOfCheck } from '../validation/check.js';
import { anything, type JsonSchema, nullable, text, uuid } from '../validation/schema.js';

/** A field of a body or a query, by the rules that check it. */
interface Field {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
  mayBeNull: boolean;
}

/**
 * How the document puts the rules that class-validator brings, those that only a product uses among them. A rule that
 * `check` makes brings its own schema, and of any other the document says nothing.
 */
const BUILT_IN: Record<string, (...constraints: unknown[]) => JsonSchema> = {
  isIn: (values) => ({ type: 'string', enum: values }),
  isInt: () => ({ type: 'integer' }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isBoolean: () => ({ type: 'boolean' }),
  isUuid: () => uuid,
  isString: () => text,
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  isLength: (minLength, maxLength) => ({ minLength, ...(maxLength !== undefined && { maxLength }) }),
  matches: (pattern) => ({ type: 'string', pattern: (pattern as RegExp).source }),
  isEnum: (values) => ({ enum: Object.values(values as object) }),
  isNumber: () => ({ type: 'number' }),
};

/** A body that only the handler checks. */
export const ANY_BODY = { required: true, content: { 'application/json': { schema: anything } } };

/** The parameters in a path: each is an id or a name. */
export function pathParameters(path: string) {
  const parameters = [...path.matchAll(/:(\w+)/g)];
  return parameters.map(([parameter, name]) => ({
    in: 'path',
    name,
    required: true,
    schema: hasId(parameter) ? uuid : text,
  }));
}

/** Whether a path has an id in it, as `:id` and `:org_id` are. */
export function hasId(path: string): boolean {
  return /:(\w+_)?id\b/.test(path);
}

/** The parameters of a query, as a class checks it. */
export function queryParameters(checked: Type) {
  return fieldsOf(checked).map(({ name, schema, isRequired: required }) => ({
    in: 'query',
    name,
    required,
    schema,
  }));
}

/** The header that names the organization of a request. */
export const ORG_PARAMETER = {
  in: 'header',
  name: 'Latchkey-Org',
  required: false,
  description:
    'The organization that the request is for, by its id, or `none`; a caller of several has to name one. Left out, it is the only one.',
  schema: text,
};

/** The body of a request, as a class checks it. */
export function requestBody(checked: Type) {
  const fields = fieldsOf(checked);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const properties = fields.map(({ name, schema, mayBeNull }) => [
    name,
    mayBeNull ? nullable(schema) : schema,
  ]);
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

function fieldsOf(checked: Type): Field[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(checked, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  const defaults: Record<string, unknown> = new checked();

  return [...names].map((name) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const value = defaults[name];
    const checks = own.filter(({ type }) => type !== 'conditionalValidation');
    return {
      name,
      schema: Object.assign({}, ...checks.map(schemaOf), value !== undefined && { default: value }),
      isRequired: value === undefined && checks.length === own.length,
      mayBeNull: own.some(({ name: rule }) => rule === IS_OPTIONAL),
    };
  });
}

function schemaOf({ name = '', constraints = [] }: { name?: string; constraints?: unknown[] }): JsonSchema {
  return BUILT_IN[name]?.(...constraints) ?? constraints.find(isSchemaOfCheck) ?? {};
}
