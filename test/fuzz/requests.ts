import fc from 'fast-check';
import { bodyFields, type Operation } from '../support/document.js';
import { signatureOf } from '../support/stripe/webhooks.js';
import { SENDERS, sessionOf, tokenOf } from './people.js';
import { fitting, hostileText, hostileValue, type Schema } from './values.js';

/** A request as somebody sends it to an operation. */
export interface FuzzRequest {
  sender: string;
  method: Operation['method'];
  /** The path as the document has it, and its parameters as they stand in it. */
  route: string;
  parameters: Record<string, string>;
  query: string;
  headers: Record<string, string>;
  payload: string | Buffer | undefined;
}

/** Secrets of the service; machines present the first two. */
export const SECRETS = {
  SVC_CRON_SECRET: 'the secret of the scheduler of 32 and more',
  SVC_METRICS_TOKEN: 'the token of the scraper of 32 and more',
  SVC_JWT_SECRET_KEY: 'the secret of the signatures of 32 and more',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_MAILAPI_API_KEY: 'SG.of_the_tests',
};

/** How senders show who they are: people by their sessions, machines by their secrets. */
const CREDENTIALS_OF: Record<string, Record<string, string>> = {
  anonymous: {},
  scheduler: { authorization: `Bearer ${SECRETS.SVC_CRON_SECRET}` },
  scraper: { authorization: `Bearer ${SECRETS.SVC_METRICS_TOKEN}` },
  stripe: {},
  ...Object.fromEntries(
    Object.keys(SENDERS).map((name) => [name, { cookie: `session_id=${tokenOf(sessionOf(name))}` }]),
  ),
};

export const EVERYBODY = Object.keys(CREDENTIALS_OF);

/** A request of somebody to an operation: as it should be, nearly so, or not at all. */
export function requestTo(operation: Operation, sender: string): fc.Arbitrary<FuzzRequest> {
  const segments = parametersIn(operation, 'path').map(([name, schema]) => [name, segment(name, schema)]);
  return fc.record({
    sender: fc.constant(sender),
    method: fc.constant(operation.method),
    route: fc.constant(operation.path),
    parameters: fc.record<Record<string, string>>(Object.fromEntries(segments)),
    query: queryOf(operation),
    headers: headersOf(sender),
    payload: operation.method === 'GET' ? fc.constant(undefined) : payloadOf(operation),
  });
}

/** What `inject` is given for a request. Stripe signs what it sends. */
export function injected({ sender, method, route, parameters, query, headers, payload }: FuzzRequest) {
  const signature = { 'stripe-signature': signatureOf(payload ?? '') };
  return {
    method,
    url: route.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? '') + query,
    headers: sender === 'stripe' ? { ...headers, ...signature } : headers,
    ...(payload !== undefined && { payload }),
  };
}

function parametersIn({ parameters }: Operation, place: 'path' | 'query'): [string, Schema][] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema }) => [String(name), schema as Schema]);
}

const usually = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other });

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** What cannot be written with `encodeURIComponent`. */
const BROKEN_ENCODINGS = ['%00', '%ff', '%ed%a0%80', '%', '%2e%2e%2f', ';a=b', '*'];

function segment(name: string, schema: Schema): fc.Arbitrary<string> {
  const id = fitting(name, schema).map(String);
  return usually(
    fc.oneof(
      id,
      id.map((text) => text.toUpperCase()),
    ),
    fc.oneof(hostileText.map(encoded), fc.constantFrom(...BROKEN_ENCODINGS)),
  );
}

function queryOf(operation: Operation): fc.Arbitrary<string> {
  const pairs = parametersIn(operation, 'query').map(([name, schema]) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 3, arbitrary: fitting(name, schema).map((value) => `${name}=${encoded(String(value))}`) },
      { weight: 1, arbitrary: hostileText.map((text) => `${name}=${encoded(text)}`) },
      { weight: 1, arbitrary: fc.constantFrom(`${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`, name) },
    ),
  );
  const extra = usually(
    fc.constant(''),
    fc.oneof(
      hostileText.map((text) => `${encoded(text)}=1`),
      fc.constantFrom('__proto__[a]=1', '&&==', 'a=%ff', '%'),
    ),
  );
  return fc.tuple(...pairs, extra).map((parts) => `?${parts.filter(Boolean).join('&')}`.replace(/^\?$/, ''));
}

const maybe = <T>(value: fc.Arbitrary<T>) => usually<T | undefined>(fc.constant(undefined), value);

/** What a header may hold on its way through a socket: Latin-1 without controls. */
const hostileField = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code < 0x7f || code > 0x9f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

function headersOf(sender: string): fc.Arbitrary<Record<string, string>> {
  const { cookie, ...credentials } = { cookie: undefined, ...CREDENTIALS_OF[sender] };
  const fields = {
    origin: usually(
      fc.constantFrom(undefined, 'http://localhost:5173'),
      fc.oneof(
        fc.constantFrom(
          'null',
          'https://evil.example',
          'HTTP://LOCALHOST:5173',
          'http://localhost:5173.evil.example',
        ),
        hostileField,
      ),
    ),
    'content-type': usually(
      fc.constant('application/json'),
      fc.oneof(
        fc.constantFrom(
          undefined,
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/json; charset=utf-16',
        ),
        hostileField,
      ),
    ),
    cookie: usually(
      fc.constant(cookie),
      fc.oneof(
        fc.constantFrom(`${cookie}; ${cookie}`, `${cookie}x`, 'session_id=', '__proto__=1; idp_login_=1'),
        hostileField,
      ),
    ),
    authorization: maybe(fc.oneof(fc.constantFrom('Bearer', 'Bearer undefined', 'Basic YTpi'), hostileField)),
    'sec-fetch-site': maybe(fc.constantFrom('cross-site', 'same-site', 'none')),
    'user-agent': maybe(fc.oneof(hostileField, fc.constant('u'.repeat(4_000)))),
    'x-forwarded-for': maybe(
      fc.oneof(fc.constantFrom('203.0.113.7', '::1, fe80::1%eth0', 'unknown', '1.2.3.4:5'), hostileField),
    ),
    'x-request-id': maybe(hostileField),
    'stripe-signature': maybe(fc.oneof(fc.constantFrom('t=1,v1=00', 't=,v1='), hostileField)),
    'accept-encoding': maybe(hostileField),
    'content-encoding': rarely(fc.constantFrom('gzip', 'identity')),
    expect: rarely(fc.constant('the unexpected')),
  };
  return fc
    .record(fields)
    .map((all) => ({ ...JSON.parse(JSON.stringify(all)), ...credentials }) as Record<string, string>);
}

function rarely<T>(value: fc.Arbitrary<T>) {
  return maybe(maybe(value));
}

function payloadOf(operation: Operation): fc.Arbitrary<string | Buffer | undefined> {
  const fields = bodyFields(operation);
  const required = (operation.requestBody?.content['application/json'].schema.required ?? []) as string[];
  const body = fc.record(Object.fromEntries(fields.map(([name, schema]) => [name, fitting(name, schema)])), {
    requiredKeys: required,
  });
  return fc.oneof(
    { weight: 4, arbitrary: body.map((value) => (fields.length > 0 ? JSON.stringify(value) : undefined)) },
    {
      weight: 3,
      arbitrary: nearly(
        body,
        fields.map(([name]) => name),
      ),
    },
    { weight: 1, arbitrary: garbage(body) },
  );
}

/** A body with one field too many, too few, or of another kind. */
function nearly(body: fc.Arbitrary<object>, names: string[]): fc.Arbitrary<string> {
  const name = names.length > 0 ? usually(fc.constantFrom(...names), hostileText) : hostileText;
  return fc
    .tuple(body, name, fc.option(hostileValue, { nil: undefined }))
    .map(([value, field, hostile]) => JSON.stringify({ ...value, [field]: hostile }));
}

/** What is no JSON, or none that anybody would send. */
function garbage(body: fc.Arbitrary<object>): fc.Arbitrary<string | Buffer> {
  return fc.oneof(
    body.map((value) => JSON.stringify(value).replace(/^\{(.+)\}$/, '{$1,$1}')),
    body.map((value) => JSON.stringify(value).replace('{', '{"__proto__":{"role":"sys_admin"},')),
    body.map((value) => Buffer.from(JSON.stringify(value), 'utf16le')),
    body.map((value) => `\ufeff${JSON.stringify(value)}`),
    body.map((value) => JSON.stringify([value])),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    hostileValue.map((value) => JSON.stringify(value)),
    fc.constantFrom(
      '',
      '{',
      '{}{}',
      '{"email":',
      '['.repeat(30_000),
      `{"name":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
    ),
    fc.constantFrom(64 * 1024, 70_000).map((length) => `{"name":"${'a'.repeat(length)}"}`),
  );
}
