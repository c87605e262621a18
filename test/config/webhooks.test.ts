import { describe, expect, it } from '@jest/globals';
import { AUDIT_TYPES } from '../../src/audit/audit-types.js';
import { EVENT_TYPES, eventTypesNamed } from '../../src/config/event-types.js';
import { preflight } from '../../src/config/preflight/preflight.js';
import { InvalidEnvironment, parseEnvironment } from '../../src/config/read-environment.js';

const secretOf = (bytes: number, byte = 7) => `whsec_${Buffer.alloc(bytes, byte).toString('base64')}`;
const SECRET = 'whsec_dGhlIHNlY3JldCB0aGF0IG5vIGVycm9yIGhvbGRzLi4u';
const PRODUCT = {
  name: 'product',
  url: 'https://product.example.com/events?of=latchkey',
  secrets: [SECRET],
  types: ['account.*', 'logout'],
};

const webhooksIn = (list: unknown, variables: Record<string, string> = {}) =>
  parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_WEBHOOKS: JSON.stringify(list), ...variables }).webhooks;

/** The errors of a list of endpoints, none of which may hold a secret. */
function errorsOf(list: unknown, variables: Record<string, string> = {}): string[] {
  try {
    webhooksIn(list, variables);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidEnvironment)) throw error;
    expect(error.message).not.toContain(SECRET.slice('whsec_'.length));
    return error.errors;
  }
}

/** The codes of what a deployment is warned of, or refused for. */
const codesOf = (list: unknown, variables: Record<string, string> = {}) =>
  preflight({
    environment: 'prod',
    webhooks: webhooksIn(list),
    ...variables,
  })
    .map(({ code }) => code)
    .filter((code) => code !== 'CRON_MISSING');

describe('SVC_WEBHOOKS', () => {
  it('is a list of endpoints, with one secret or two, and the types they want', () => {
    const rotating = { ...PRODUCT, name: 'crm-2', secrets: [secretOf(64), secretOf(24)], types: ['*'] };

    expect(webhooksIn([PRODUCT, rotating])).toEqual([PRODUCT, rotating]);
    expect(webhooksIn([])).toEqual([]);
  });

  it.each([
    'http://127.0.0.1:8080/events',
    'http://localhost/events',
    'http://[::1]:8080/',
    'http://10.0.0.7/events',
    'https://192.168.1.1:8443/events',
    'http://product.internal/events',
  ])('may be at %s, where back ends live', (url) => {
    expect(errorsOf([{ ...PRODUCT, url }])).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name is missing: it must be lower-case letters'],
    ['a name with a blank', { name: 'a b' }, 'name must be lower-case letters'],
    ['a name in capitals', { name: 'Product' }, 'name must be lower-case letters'],
    ['no address', { url: undefined }, 'url is missing: it must be an http:// or https:// address'],
    ['an address of ftp', { url: 'ftp://example.com/' }, 'url must be an http:// or https:// address'],
    ['a user in the address', { url: 'https://a:b@example.com/' }, 'url must be an http:// or https://'],
    ['a link-local address', { url: 'http://169.254.169.254/' }, 'url must be an http:// or https://'],
    ['one in decimal', { url: 'http://2852039166/' }, 'url must be an http:// or https://'],
    ['one of IPv6', { url: 'http://[fe80::1]/' }, 'url must be an http:// or https://'],
    ['one mapped into IPv6', { url: 'http://[::ffff:169.254.169.254]/' }, 'url must be an http:// or'],
    ['one of NAT64', { url: 'http://[64:ff9b::169.254.169.254]/' }, 'url must be an http:// or'],
    ['one of a NAT64 of its own', { url: 'http://[64:ff9b:1::a9fe:a9fe]/' }, 'url must be an http:// or'],
    [
      'one of a NAT64 of its own, in another place',
      { url: 'http://[64:ff9b:1:a9fe:a9:fe00::]/' },
      'url must be an http:// or',
    ],
    ['one of ISATAP', { url: 'http://[2001:db8::5efe:169.254.169.254]/' }, 'url must be an http:// or'],
    [
      'a global one of ISATAP',
      { url: 'http://[2001:db8::200:5efe:a9fe:a9fe]/' },
      'url must be an http:// or',
    ],
    ['a site-local address', { url: 'http://[fec0::1]/' }, 'url must be an http:// or https://'],
    ['one of 6to4', { url: 'http://[2002:a9fe:a9fe::1]/' }, 'url must be an http:// or'],
    ['one of Teredo', { url: 'http://[2001:0:1:2:0:0:5601:5601]/' }, 'url must be an http:// or'],
    ['one that IPv4 is compatible with', { url: 'http://[::a9fe:a9fe]/' }, 'url must be an http:// or'],
    ['one translated into IPv6', { url: 'http://[::ffff:0:a9fe:a9fe]/' }, 'url must be an http:// or'],
    [
      'one of a cloud that is not link-local',
      { url: 'http://[fd00:ec2::254]/' },
      'url must be an http:// or',
    ],
    ['no secrets', { secrets: undefined }, 'secrets is missing: it must be a list of one or two secrets'],
    ['an empty list of secrets', { secrets: [] }, 'secrets must be a list of one or two secrets'],
    ['a text as secrets', { secrets: SECRET }, 'secrets must be a list of one or two secrets'],
    ['three secrets', { secrets: [24, 32, 64].map((size) => secretOf(size)) }, 'secrets must be a list of'],
    ['a secret without its prefix', { secrets: [SECRET.slice(6)] }, 'secrets must be a list of'],
    ['a secret of 23 bytes', { secrets: [secretOf(23)] }, 'secrets must be a list of'],
    ['a secret of 65 bytes', { secrets: [secretOf(65)] }, 'secrets must be a list of'],
    ['a secret in base64url', { secrets: ['whsec_'.padEnd(50, '-_')] }, 'secrets must be a list of'],
    ['no types', { types: undefined }, 'types is missing: it must be a list of types'],
    ['an empty list of types', { types: [] }, 'types must be a list of types'],
    ['a type that there is not', { types: ['account.create'] }, 'types must be a list of types'],
    ['a type that is never sent', { types: ['login.failed'] }, 'types must be a list of types'],
    ['a family that there is not', { types: ['accounts.*'] }, 'types must be a list of types'],
    ['a family that is never sent', { types: ['invitation.*'] }, 'types must be a list of types'],
    ['a star within a word', { types: ['account.c*'] }, 'types must be a list of types'],
    ['a star before a dot', { types: ['*.created'] }, 'types must be a list of types'],
    ['a member that is misspelt', { secret: SECRET }, 'secret is not known'],
  ])('names variable, position and member when an entry has %s', (_, change, error) => {
    expect(
      errorsOf([
        { ...PRODUCT, name: 'crm' },
        { ...PRODUCT, ...change },
      ]),
    ).toEqual([expect.stringContaining(`SVC_WEBHOOKS[1].${error}`)]);
  });

  it('is refused when it is no list of objects', () => {
    const broken = [`[{"secrets":["${SECRET}"],}]`, JSON.stringify(PRODUCT), `["${SECRET}"]`, '[null]'];
    for (const SVC_WEBHOOKS of broken)
      expect(errorsOf([], { SVC_WEBHOOKS })).toEqual(['SVC_WEBHOOKS must be a JSON list of objects']);
  });

  it('is refused when two endpoints have one name, or there are nine', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ ...PRODUCT, name: `product-${index}` }));

    expect(errorsOf([PRODUCT, PRODUCT])).toEqual(['SVC_WEBHOOKS[1].name is that of SVC_WEBHOOKS[0] too']);
    expect(errorsOf(many)).toEqual(['SVC_WEBHOOKS must have 8 endpoints at most']);
    expect(errorsOf(many.slice(1))).toEqual([]);
  });

  it('needs audit events until the last attempt', () => {
    const short = { SVC_CRON_AUDIT_RETENTION_DAYS: '3' };

    expect(errorsOf([PRODUCT], short)).toEqual([
      'SVC_CRON_AUDIT_RETENTION_DAYS must be 4 at least: SVC_WEBHOOKS is set',
    ]);
    expect(errorsOf([], short)).toEqual([]);
    expect(errorsOf([PRODUCT], { SVC_CRON_AUDIT_RETENTION_DAYS: '4' })).toEqual([]);
  });

  it('warns of http to another machine, and not to this one', () => {
    expect(codesOf([{ ...PRODUCT, url: 'http://product.internal/events' }])).toEqual([
      'WEBHOOK_IN_THE_CLEAR',
    ]);
    expect(
      codesOf([
        { ...PRODUCT, url: 'http://127.0.0.1/events' },
        { ...PRODUCT, name: 'crm' },
      ]),
    ).toEqual(['SECRET_REPEATED']);
    expect(codesOf([PRODUCT])).toEqual([]);
  });

  it('must hold secrets that are strong, and of which each is in use once', () => {
    expect(codesOf([{ ...PRODUCT, secrets: [SECRET, SECRET] }])).toEqual(['SECRET_REPEATED']);
    expect(codesOf([{ ...PRODUCT, secrets: [secretOf(32, 0)] }])).toEqual(['SECRET_WEAK']);
    const settings = { ...parseEnvironment({ SVC_ENVIRONMENT: 'dev' }), webhooks: webhooksIn([PRODUCT]) };
    const cronSecret = [SECRET.slice('whsec_'.length)] as const;
    expect(preflight({ ...settings, environment: 'prod', cronSecret }).map(({ code }) => code)).toContain(
      'SECRET_REPEATED',
    );
  });
});

describe('the types that webhooks send', () => {
  it('are audit types', () => {
    expect(AUDIT_TYPES).toEqual(expect.arrayContaining(EVENT_TYPES));
  });

  it.each([
    'access.refused',
    'checkout.started',
    'cron.ran',
    'delivery.forgotten',
    'delivery.replayed',
    'delivery.retried',
    'email.change_requested',
    'email_code.requested',
    'invitation.declined',
    'invitation.revoked',
    'invitation.sent',
    'login.failed',
    'login.limited',
    'login.pending',
    'mail.retried',
    'mail.tested',
    'password.link_requested',
    'portal.opened',
    'recovery_code.used',
    'recovery_codes.made',
    'signup.ended',
    'signup.started',
    'step_up.failed',
    'step_up.succeeded',
  ])('leave out %s', (type) => {
    expect(EVENT_TYPES).not.toContain(type);
  });

  it('are named by themselves, by their family, or all at once', () => {
    expect(eventTypesNamed('org.*')).toEqual([
      'org.created',
      'org.deleted',
      'org.policy_changed',
      'org.updated',
    ]);
    expect(eventTypesNamed('custom_role.*')).toEqual([
      'custom_role.changed',
      'custom_role.made',
      'custom_role.removed',
    ]);
    expect(eventTypesNamed('acting.*')).toEqual(['acting.ended', 'acting.started']);
    expect(eventTypesNamed('session.*')).toEqual(['session.ended']);
    expect(eventTypesNamed('logout')).toEqual(['logout']);
    expect(eventTypesNamed('*')).toEqual(EVENT_TYPES);
  });
});
