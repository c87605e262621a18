import fc from 'fast-check';
import { bodyFields, type Operation } from '../../support/document.js';
import { fitting, hostileText, hostileValue, PLAIN, usually } from './values.js';

type Payload = string | Buffer | undefined;

/** What is sent to an operation as its body. */
export function payloads(operation: Operation): fc.Arbitrary<Payload> {
  const fields = bodyFields(operation);
  if (fields.length === 0) return usually<Payload>(fc.constant(undefined), notFor(fc.constant({})));

  const { required = [] } = operation.requestBody?.content['application/json'].schema ?? {};
  const body: fc.Arbitrary<object> = fc.record(
    Object.fromEntries(fields.map(([name, schema]) => [name, fitting(name, schema)])),
    { requiredKeys: required as string[], ...PLAIN },
  );
  const names = fields.map(([name]) => name);
  return fc.oneof(
    { weight: 4, arbitrary: body.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: nearly(body, names) },
    { weight: 1, arbitrary: notFor(body) },
  );
}

/** A body with one field too many, too few, or of another kind. */
function nearly(body: fc.Arbitrary<object>, names: string[]): fc.Arbitrary<string> {
  const field = usually(fc.constantFrom(...names), hostileText);
  const value = fc.option(hostileValue, { nil: undefined });
  return fc.tuple(body, field, value).map(([all, name, other]) => JSON.stringify({ ...all, [name]: other }));
}

/** What is not JSON, or not what a client would send where the service expects a body. */
function notFor(body: fc.Arbitrary<object>): fc.Arbitrary<string | Buffer> {
  const json = body.map((value) => JSON.stringify(value));
  return fc.oneof(
    json.map((text) => text.replace(/^\{(.+)\}$/, '{$1,$1}')),
    json.map((text) => text.replace('{', '{"__proto__":{"role":"sys_admin"},')),
    json.map((text) => Buffer.from(text, 'utf16le')),
    json.map((text) => `\ufeff${text}`),
    json.map((text) => `[${text}]`),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    hostileValue.map((value) => JSON.stringify(value)),
    fc.constantFrom('', '{', '{}{}', '{"email":', '['.repeat(30_000)),
    fc.constantFrom(60_000, 70_000).map((length) => `{"name":"${'a'.repeat(length)}"}`),
    fc.constantFrom(10, 2_000).map((depth) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  );
}
