import fc from 'fast-check';
import type { Operation } from '../../support/document.js';
import { fitting, hostileText, PLAIN, type Schema, usually } from './values.js';

/** Encodings that `encodeURIComponent` never writes. */
const BROKEN_ENCODINGS = ['%00', '%ff', '%ed%a0%80', '%', '%2e%2e%2f', ';a=b', '*'];

/** The parameters in a path, as they stand in it. */
export function pathParameters(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const segments = parametersIn(operation, 'path').map(([name, schema]) => {
    const id = fitting(name, schema).map(String);
    const capitals = id.map((text) => text.toUpperCase());
    const hostile = fc.oneof(hostileText.map(encoded), fc.constantFrom(...BROKEN_ENCODINGS));
    return [name, fc.oneof({ weight: 6, arbitrary: id }, capitals, hostile)];
  });
  return fc.record<Record<string, string>>(Object.fromEntries(segments), PLAIN);
}

/** A query, with its question mark if it has anything. */
export function queries(operation: Operation): fc.Arbitrary<string> {
  const known = parametersIn(operation, 'query').map(([name, schema]) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 3, arbitrary: fitting(name, schema).map((value) => `${name}=${encoded(String(value))}`) },
      hostileText.map((text) => `${name}=${encoded(text)}`),
      fc.constantFrom(`${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`, name),
    ),
  );
  const unknown = fc.oneof(
    hostileText.map((text) => `${encoded(text)}=1`),
    fc.constantFrom('__proto__[a]=1', '&&==', 'a=%ff', '%'),
  );
  return fc
    .tuple(...known, usually(fc.constant(''), unknown))
    .map((parts) => parts.filter(Boolean).join('&'))
    .map((query) => query && `?${query}`);
}

function parametersIn({ parameters }: Operation, place: 'path' | 'query'): [string, Schema][] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema }) => [String(name), schema as Schema]);
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
