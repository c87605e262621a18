import fc from 'fast-check';
import { usually } from './values.js';

type Headers = Record<string, string>;

/** What a field may hold on its way through a socket: Latin-1 without controls. */
const HOSTILE = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code < 0x7f || code > 0x9f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

/** Headers of a caller with some credentials. */
export function headers({ cookie, ...credentials }: { cookie?: string }): fc.Arbitrary<Headers> {
  const fields = {
    origin: field(
      [undefined, 'http://localhost:5173'],
      ['null', 'https://evil.example', 'HTTP://LOCALHOST:5173', 'http://localhost:5173.evil.example'],
    ),
    'content-type': field(
      ['application/json'],
      [
        undefined,
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json; charset=utf-16',
      ],
    ),
    cookie: field(
      [cookie],
      [`${cookie}; ${cookie}`, `${cookie}x`, 'session_id=', '__proto__=1; idp_login_=1'],
    ),
    accept: field([undefined], ['text/event-stream', 'text/html']),
    authorization: field([undefined], ['Bearer', 'Bearer undefined', 'Basic YTpi']),
    'sec-fetch-site': field([undefined], ['cross-site', 'same-site', 'none']),
    'user-agent': field([undefined], ['u'.repeat(4_000)]),
    'x-forwarded-for': field([undefined], ['203.0.113.7', '::1, fe80::1%eth0', 'unknown', '1.2.3.4:5']),
    'x-request-id': field([undefined], ['1']),
    'stripe-signature': field([undefined], ['t=1,v1=00', 't=,v1=']),
    'content-encoding': usually(fc.constant(undefined), field([undefined], ['gzip', 'identity'])),
    expect: usually(fc.constant(undefined), field([undefined], ['100-continue'])),
  };
  return fc.record(fields).map((all) => ({ ...given(all), ...credentials }));
}

/** A field that is usually one of some values, and else a bad one or rubbish. */
function field(usual: (string | undefined)[], bad: (string | undefined)[]) {
  return usually(fc.constantFrom(...usual), fc.oneof(fc.constantFrom(...bad), HOSTILE));
}

function given(fields: Record<string, string | undefined>): Headers {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Headers;
}
