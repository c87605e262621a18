import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { preflight } from '../../src/config/preflight/preflight.js';
import { InvalidEnvironment, parseEnvironment } from '../../src/config/read-environment.js';

const SECRET = 'GOCSPX-of_the_other_client';
const TENANT = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490';

const GOOGLE = { preset: 'google', client_id: 'a client', client_secret: SECRET };
const MICROSOFT = {
  preset: 'microsoft',
  tenant: TENANT,
  client_id: 'a client',
  client_secret: `${SECRET} at Microsoft`,
  vouched_domains: ['contoso.com'],
};
const GITHUB = { preset: 'github', client_id: 'a client', client_secret: `${SECRET} at GitHub` };
const KEYCLOAK = {
  id: 'keycloak',
  title: 'Our own',
  issuer: 'https://keycloak.example.com/realms/Staff/',
  client_id: 'a client',
  client_secret: `${SECRET} at Keycloak`,
};

const providersIn = (list: unknown, variables: Record<string, string> = {}) =>
  parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_IDP_OTHERS: JSON.stringify(list), ...variables }).idpOthers;

const folder = mkdtempSync(join(tmpdir(), 'latchkey-providers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The errors of a list of providers, none of which may hold a secret. */
function errorsOf(list: unknown, variables: Record<string, string> = {}): string[] {
  try {
    providersIn(list, variables);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidEnvironment)) throw error;
    expect(error.message).not.toContain(SECRET);
    return error.errors;
  }
}

describe('SVC_IDP_OTHERS', () => {
  it('fills in what follows from the name of a known provider', () => {
    expect(providersIn([GOOGLE, MICROSOFT, GITHUB])).toMatchObject([
      { id: 'google', title: 'Google', issuer: 'https://accounts.google.com', scope: 'openid email profile' },
      {
        id: 'microsoft',
        title: 'Microsoft',
        issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
        scope: 'openid email profile',
      },
      {
        id: 'github',
        title: 'GitHub',
        issuer: 'https://github.com/login/oauth',
        scope: 'read:user user:email',
      },
    ]);
  });

  it('keeps what the operator writes instead, and the issuer letter by letter', () => {
    const own = { ...GOOGLE, id: 'workspace', title: 'Work', strong: true };

    expect(providersIn([own, KEYCLOAK])).toMatchObject([
      { id: 'workspace', title: 'Work', issuer: 'https://accounts.google.com', strong: true },
      { ...KEYCLOAK, strong: false, says_auth_time: false, vouched_domains: [] },
    ]);
  });

  it('can have several tenants of Microsoft, each an entry of its own', () => {
    const other = { ...MICROSOFT, id: 'fabrikam', tenant: TENANT.replace('8', '9').toUpperCase() };

    expect(providersIn([MICROSOFT, other])[1]?.issuer).toBe(
      `https://login.microsoftonline.com/${TENANT.replace('8', '9')}/v2.0`,
    );
  });

  it('is read from the file that SVC_IDP_OTHERS_FILE names', () => {
    const file = join(folder, 'providers.json');
    writeFileSync(file, `${JSON.stringify([GOOGLE], null, 2)}\n`);

    const { idpOthers } = parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_IDP_OTHERS_FILE: file });
    expect(idpOthers).toMatchObject([{ id: 'google', client_secret: SECRET }]);
  });

  it.each([
    ['no JSON', `[{"client_secret":"${SECRET}",}]`],
    ['an object', JSON.stringify(GOOGLE)],
    ['a list of texts', JSON.stringify([SECRET])],
    ['a list of lists', JSON.stringify([[GOOGLE]])],
    ['a list with null', '[null]'],
    ['a number', '7'],
  ])('is refused when it is %s', (_, SVC_IDP_OTHERS) => {
    expect(errorsOf([], { SVC_IDP_OTHERS })).toEqual(['SVC_IDP_OTHERS must be a JSON list of objects']);
  });

  it.each<[string, object, string]>([
    ['no name', { id: undefined }, 'id is missing: it must be lower-case letters'],
    ['the name of the first provider', { id: 'idp' }, 'id must be lower-case letters'],
    ['a name with a slash', { id: 'a/b' }, 'id must be lower-case letters'],
    ['a name in capitals', { id: 'Keycloak' }, 'id must be lower-case letters'],
    ['a name that is no text', { id: 7 }, 'id must be lower-case letters'],
    ['no title', { title: undefined }, 'title is missing: it must be 1 to 200 characters'],
    ['no issuer', { issuer: undefined }, 'issuer is missing: it must be an https:// address'],
    ['an http issuer', { issuer: 'http://keycloak.example.com' }, 'issuer must be an https:// address'],
    ['an issuer with a query', { issuer: 'https://example.com/?a=b' }, 'issuer must be an https:// address'],
    ['an issuer with an empty query', { issuer: 'https://example.com/?' }, 'issuer must be an https://'],
    [
      'an issuer with a password',
      { issuer: 'https://a:b@example.com' },
      'issuer must be an https:// address',
    ],
    ['an issuer that is no address', { issuer: 'accounts.google.com' }, 'issuer must be an https:// address'],
    ['no client', { client_id: undefined }, 'client_id is missing: it must be one line'],
    ['no secret', { client_secret: undefined }, 'client_secret is missing: it must be one line'],
    ['a secret with a line break', { client_secret: `${SECRET}\n` }, 'client_secret must be one line'],
    ['a list of secrets', { client_secret: [SECRET] }, 'client_secret must be one line'],
    ['an empty scope', { scope: '' }, 'scope must be one line'],
    [
      'one domain that is no list',
      { vouched_domains: 'a.example' },
      'vouched_domains must be a list of domains',
    ],
    ['a domain in capitals', { vouched_domains: ['A.example'] }, 'vouched_domains must be a list of domains'],
    ['a wildcard', { vouched_domains: ['*.a.example'] }, 'vouched_domains must be a list of domains'],
    ['an address', { vouched_domains: ['ada@a.example'] }, 'vouched_domains must be a list of domains'],
    ['strong in words', { strong: 'yes' }, 'strong must be true or false'],
    ['a time in words', { says_auth_time: 'yes' }, 'says_auth_time must be true or false'],
    [
      'a preset that there is not',
      { preset: 'constructor' },
      'preset must be one of google, microsoft, github',
    ],
    ['a member that is misspelt', { client_secert: SECRET }, 'client_secert is not known'],
  ])('names variable, position and member when an entry has %s', (_, change, error) => {
    const errors = errorsOf([GITHUB, { ...KEYCLOAK, ...change }]);

    expect(errors).toEqual([expect.stringContaining(`SVC_IDP_OTHERS[1].${error}`)]);
  });

  it.each([undefined, 'common', 'organizations', 'consumers', 'contoso.onmicrosoft.com', '../evil', 7])(
    'refuses %s as a tenant of Microsoft, whose issuer it would not know',
    (tenant) => {
      expect(errorsOf([{ ...MICROSOFT, tenant }])).toEqual([
        expect.stringMatching(/^SVC_IDP_OTHERS\[0\]\.tenant .*must be the id of a tenant/),
      ]);
    },
  );

  it('refuses a tenant of Microsoft without domains, in which no address would ever count as verified', () => {
    expect(errorsOf([{ ...MICROSOFT, vouched_domains: [] }])).toEqual([
      'SVC_IDP_OTHERS[0].vouched_domains is missing: Microsoft does not say which addresses are verified',
    ]);
  });

  it('refuses to wait for the time of a login where no ID token could say it', () => {
    expect(errorsOf([{ ...GITHUB, says_auth_time: true }])).toEqual([
      'SVC_IDP_OTHERS[0].says_auth_time must be false: the scope has no openid',
    ]);
    expect(errorsOf([{ ...KEYCLOAK, says_auth_time: true }])).toEqual([]);
  });

  it('refuses two providers of one name', () => {
    expect(errorsOf([GITHUB, { ...KEYCLOAK, id: 'github' }])).toEqual([
      'SVC_IDP_OTHERS[1].id is that of SVC_IDP_OTHERS[0] too',
    ]);
  });

  it.each(['https://keycloak.example.com/realms/Staff/', 'https://KEYCLOAK.example.com:443/realms/Staff'])(
    'refuses two providers of one issuer, though it is written %s',
    (issuer) => {
      expect(errorsOf([KEYCLOAK, { ...KEYCLOAK, id: 'twin', issuer }])).toEqual([
        'SVC_IDP_OTHERS[1].issuer is that of SVC_IDP_OTHERS[0] too',
      ]);
    },
  );

  it('refuses the issuer of the provider of SVC_IDP_CLIENT_ID, where there is one', () => {
    expect(errorsOf([GOOGLE])).toEqual([]);
    expect(errorsOf([GOOGLE], { SVC_IDP_CLIENT_ID: 'a', SVC_IDP_CLIENT_SECRET: 'b' })).toEqual([
      'SVC_IDP_OTHERS[0].issuer is that of SVC_IDP_ISSUER too',
    ]);
  });

  it('names every error at once', () => {
    expect(errorsOf([{ preset: 'google' }, { ...KEYCLOAK, title: '' }, { ...KEYCLOAK, id: 'x' }])).toEqual([
      expect.stringMatching(/^SVC_IDP_OTHERS\[0\]\.client_id /),
      expect.stringMatching(/^SVC_IDP_OTHERS\[0\]\.client_secret /),
      expect.stringMatching(/^SVC_IDP_OTHERS\[1\]\.title /),
      'SVC_IDP_OTHERS[2].issuer is that of SVC_IDP_OTHERS[1] too',
    ]);
  });

  it('is searched by the preflight for secrets that repeat and addresses without HTTPS, which it does not repeat', () => {
    const local = { ...KEYCLOAK, issuer: 'http://127.0.0.1:8080', client_secret: SECRET };
    const environment = { ...parseEnvironment({ SVC_ENVIRONMENT: 'dev' }), environment: 'prod' };
    const findings = preflight({ ...environment, idpOthers: providersIn([GOOGLE, local]) });

    expect(findings.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'SVC_IDP_OTHERS[1].issuer is an http:// address.',
        'SVC_IDP_OTHERS[1].client_secret is the same as SVC_IDP_OTHERS[0].client_secret.',
      ]),
    );
    expect(JSON.stringify(findings)).not.toContain(SECRET);
  });
});
