import { describe, expect, it } from '@jest/globals';
import { agedNode } from '../../src/config/preflight/node-release.js';
import { preflight } from '../../src/config/preflight/preflight.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { isSameSite } from '../../src/config/same-site.js';
import { runProgram } from '../support/command-line.js';

const SOUND = {
  SVC_ENVIRONMENT: 'prod',
  SVC_BASE_WEB_URL: 'https://app.initech.com',
  SVC_BASE_API_URL: 'https://api.initech.com',
  SVC_DATABASE_URL: 'postgres://service@database/service?sslmode=verify-full',
  SVC_EMAIL_PROVIDER: 'mailapi',
  SVC_MAILAPI_API_KEY: 'SG.a-key',
  SVC_MAILAPI_SENDER_ADDRESS: 'no-reply@initech.com',
  SVC_JWT_SECRET_KEY: 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g',
  SVC_CRON_SECRET: 'Gh4jK1lQwErT7yUiOpAsD3fVbNmZxC6z',
  SVC_SESSION_COOKIE_NAME: '__Host-session',
};

/** Where the application is in `dev`. */
const LOCAL = { SVC_ENVIRONMENT: 'dev', SVC_BASE_WEB_URL: 'http://localhost:5173' };

/** A list of one provider, with changes. */
const others = (changes: object) => ({
  SVC_IDP_OTHERS: JSON.stringify([
    { id: 'a', title: 'A', issuer: 'https://a.initech.com', client_id: 'a', client_secret: 'b', ...changes },
  ]),
});

/** A list of one endpoint, with changes. */
const webhook = (changes: object) => ({
  SVC_WEBHOOKS: JSON.stringify([
    {
      name: 'product',
      url: 'https://product.initech.com/events',
      secrets: ['whsec_Q5b0S1XyB8gEo7vJtV4nLqKz3mWcDhRfUaYpIxT2wNs='],
      types: ['*'],
      ...changes,
    },
  ]),
});

const UNSOUND: [string, Record<string, string>][] = [
  [
    'ADDRESS_NOT_HTTPS',
    { SVC_BASE_WEB_URL: 'http://app.initech.com', SVC_BASE_API_URL: 'http://api.initech.com' },
  ],
  ['ADDRESS_NOT_HTTPS', { SVC_IDP_TOKEN_URL: 'http://idp.initech.com/token' }],
  ['ADDRESS_NOT_HTTPS', others({ issuer: 'http://127.0.0.1:8080' })],
  ['SITES_DIFFER', { SVC_BASE_API_URL: 'https://api.initrode.com' }],
  ['ORIGIN_OF_ANOTHER_SITE', { SVC_CORS_ORIGINS: 'https://app.initrode.com' }],
  ['ORIGIN_SHARED', { SVC_BASE_API_URL: 'https://www.initech.com/api', SVC_PAGES: 'on' }],
  ['PROXY_TRUSTS_ALL', { SVC_TRUSTED_PROXIES: '0.0.0.0/0' }],
  ['PROXY_TRUSTS_ALL', { SVC_TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.1/0' }],
  ['PROXY_TRUSTS_ALL', { SVC_TRUSTED_PROXIES: '0.0.0.0/1,128.0.0.0/1' }],
  ['PROXY_TRUSTS_ALL', { SVC_TRUSTED_PROXIES: '128.0.0.0/2,192.0.0.0/3,127.0.0.1,0.0.0.0/1' }],
  ['PROXY_TRUSTS_ALL', { SVC_TRUSTED_PROXIES: '::ffff:0:0/96' }],
  ['PROXY_TRUSTS_ALL', { SVC_TRUSTED_PROXIES: '2000::/3' }],
  ['KEEP_ALIVE_SHORT', { SVC_KEEP_ALIVE_SECONDS: '60' }],
  ['CRON_MISSING', { SVC_CRON_SECRET: '' }],
  ['SECRET_KNOWN', { SVC_JWT_SECRET_KEY: 'known to everybody and only good for development' }],
  ['SECRET_KNOWN', { SVC_CRON_SECRET: 'please-change-me-before-you-deploy-this' }],
  ['SECRET_WEAK', { SVC_JWT_SECRET_KEY: 'a'.repeat(44) }],
  ['SECRET_WEAK', { SVC_METRICS_TOKEN: 'abcabcd'.repeat(6) }],
  ['SECRET_REPEATED', { SVC_METRICS_TOKEN: SOUND.SVC_CRON_SECRET }],
  ['SECRET_REPEATED', { SVC_JWT_SECRET_KEY: `${SOUND.SVC_JWT_SECRET_KEY},${SOUND.SVC_JWT_SECRET_KEY}` }],
  ['SECRET_REPEATED', others({ client_secret: SOUND.SVC_CRON_SECRET })],
  ['SECRET_REPEATED', { SVC_SMTP_USER: 'a', SVC_SMTP_PASSWORD: SOUND.SVC_CRON_SECRET }],
  ['HASHES_CHEAP', { SVC_BCRYPT_COST: '9' }],
  ['DATABASE_IN_THE_CLEAR', { SVC_DATABASE_URL: 'postgres://service@database/service?sslmode=prefer' }],
  ['DATABASE_IN_THE_CLEAR', { SVC_DATABASE_URL: 'postgres://u:p@localhost/db?host=db.example.com' }],
  ['DATABASE_IN_THE_CLEAR', { SVC_DATABASE_URL: 'postgres:///db?host=db.example.com' }],
  ['DATABASE_IN_THE_CLEAR', { SVC_DATABASE_URL: 'postgres://u:p@/db?host=db.example.com' }],
  [
    'DATABASE_IN_THE_CLEAR',
    { SVC_DATABASE_URL: 'postgres://u:p@database/db?sslmode=require&sslmode=disable' },
  ],
  ['SECRET_KNOWN', webhook({ secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] })],
  ['WEBHOOK_IN_THE_CLEAR', webhook({ url: 'http://product.internal/events' })],
  ['SECRET_WEAK', webhook({ secrets: [`whsec_${'A'.repeat(43)}=`] })],
  ['SMTP_IN_THE_CLEAR', { SVC_SMTP_HOST: 'smtp.initech.com', SVC_SMTP_TLS: 'off' }],
  ['OWNER_IN_SERVICE', { SVC_DATABASE_OWNER_URL: 'postgres://owner@database/service?sslmode=verify-full' }],
  ['COOKIE_PLANTABLE', { SVC_SESSION_COOKIE_NAME: 'session_id' }],
  ['COOKIE_PLANTABLE', { SVC_SESSION_COOKIE_NAME: '__Secure-session' }],
  [
    'VOUCHES_FOR_OPENID',
    { SVC_IDP_CLIENT_ID: 'a', SVC_IDP_CLIENT_SECRET: 'b', SVC_IDP_VOUCHES_EMAILS: 'true' },
  ],
  ['MAIL_STUB', { SVC_EMAIL_PROVIDER: 'stub' }],
  ['ADMINS_WITHOUT_SECOND_STEP', { SVC_SECOND_STEP_FROM: 'none' }],
];

/** What beta may do. */
const FINE_IN_BETA = ['MAIL_STUB', 'ADMINS_WITHOUT_SECOND_STEP'];

const codesOf = (variables: Record<string, string>) => [
  ...new Set(preflight(parseEnvironment({ ...SOUND, ...variables })).map(({ code }) => code)),
];

describe('the preflight', () => {
  it('finds no fault in a sound configuration', () => {
    expect(preflight(parseEnvironment(SOUND))).toEqual([]);
    for (const address of [
      'postgres://service@127.0.0.1/service',
      'postgres://service@/service',
      'postgres://service@/service?host=/run/postgresql',
      'postgres://service@database/service?host=/run/postgresql',
    ])
      expect(codesOf({ SVC_DATABASE_URL: address })).toEqual([]);
    expect(codesOf({ SVC_TRUSTED_PROXIES: '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7' })).toEqual([]);
    expect(codesOf({ SVC_SMTP_HOST: 'smtp.initech.com' })).toEqual([]);
    expect(codesOf({ SVC_BASE_WEB_URL: 'https://api.initech.com/ui' })).toEqual([]);
    expect(codesOf({ SVC_BASE_API_URL: 'https://www.initech.com/api', SVC_PAGES: 'off' })).toEqual([]);
    for (const host of ['localhost', '127.0.0.1', '::1'])
      expect(codesOf({ SVC_SMTP_HOST: host, SVC_SMTP_TLS: 'off' })).toEqual([]);
  });

  it.each(
    UNSOUND.map(([code, variables]) => [code, Object.keys(variables).join(' and '), variables] as const),
  )('finds %s in %s', (code, _, variables) => {
    expect(codesOf(variables)).toEqual([code]);
    expect(codesOf({ ...variables, SVC_ENVIRONMENT: 'staging' }).sort()).toEqual(
      ['ENVIRONMENT_UNKNOWN', code].sort(),
    );
    expect(codesOf({ ...variables, SVC_ENVIRONMENT: 'beta' })).toEqual(
      FINE_IN_BETA.includes(code) ? [] : [code],
    );
    expect(codesOf({ ...variables, SVC_ENVIRONMENT: 'dev' })).not.toContain(code);
  });

  it.each([
    ['01234567890123456789012345678901', 'SECRET_WEAK'],
    ['0123456789abcdef0123456789abcdef', 'SECRET_WEAK'],
    ['zyxwvutsrqponmlkjihgfedcba987654', 'SECRET_WEAK'],
    ['asdfghjklpoiuytrezxcvbnm12345678', 'SECRET_WEAK'],
    ['qwertyuiopasdfghjklzxcvbnm123456', 'SECRET_KNOWN'],
    ['1q2w3e4r5t6y7u8i9o0p1q2w3e4r5t6y', 'SECRET_WEAK'],
    ['1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9', 'SECRET_WEAK'],
    ['QAZwsxEDCrfvTGByhnUJMik7890olP12', 'SECRET_WEAK'],
    ['000102030405060708090a0b0c0d0e0f', 'SECRET_WEAK'],
    ['00010203040506070809101112131415', 'SECRET_WEAK'],
    ['0x0001020304050607080910111213141516', 'SECRET_WEAK'],
    ['1000100110021003100410051006100710081009', 'SECRET_WEAK'],
    ['f0e0d0c0b0a090807060504030201000', 'SECRET_WEAK'],
    ['latchkeylatchkeylatchkeylatchkey', 'SECRET_WEAK'],
    ['latchkeylatchkeylatchkeylatchke1', 'SECRET_WEAK'],
    ['changeit-changeit-changeit-changeit', 'SECRET_KNOWN'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaabcdefgh', 'SECRET_WEAK'],
    ['a-string-secret-at-least-256-bits-long', 'SECRET_KNOWN'],
    ['d41d8cd98f00b204e9800998ecf8427e', null],
    ['58264913759208461735928406173529', null],
  ])('takes %s for a secret that others can guess: %s', (secret, code) => {
    expect(codesOf({ SVC_JWT_SECRET_KEY: secret })[0] ?? null).toBe(code);
  });

  it('finds that no known environment has the name', () => {
    for (const environment of ['production', 'Prod', 'staging'])
      expect(codesOf({ SVC_ENVIRONMENT: environment })).toEqual(['ENVIRONMENT_UNKNOWN']);
  });

  it('finds that dev listens where other machines reach it', () => {
    const dev = { ...LOCAL, SVC_BASE_API_URL: 'http://localhost:3000' };
    expect(codesOf({ ...dev, SVC_RATE_LIMITS: 'off' })).toEqual(['LIMITS_OFF']);
    expect(codesOf({ ...dev, SVC_HOST: '0.0.0.0' })).toEqual(['DEV_EXPOSED']);
    expect(codesOf({ ...dev, SVC_HOST: '127.evil.example' })).toEqual(['DEV_EXPOSED']);
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost', 'latchkey.localhost'])
      expect(codesOf({ ...dev, SVC_HOST: host })).toEqual([]);
    expect(codesOf({ SVC_HOST: '0.0.0.0' })).toEqual([]);
  });

  it('finds that dev has an address of the internet, or a proxy in front', () => {
    const dev = LOCAL;
    for (const address of ['https://api.example.com', 'http://127.evil.example', 'http://203.0.113.7'])
      expect(codesOf({ ...dev, SVC_BASE_API_URL: address })).toEqual(['DEV_PUBLIC']);
    const local = { ...dev, SVC_BASE_API_URL: 'http://localhost:3000' };
    expect(codesOf({ ...local, SVC_BASE_WEB_URL: 'https://app.example.com' })).toEqual(['DEV_PUBLIC']);
    const origins = 'http://localhost:5173,https://app.example.com';
    expect(codesOf({ ...local, SVC_CORS_ORIGINS: origins })).toEqual(['DEV_PUBLIC']);
    for (const host of [
      'localhost',
      'a.localhost',
      '127.0.0.2',
      '[::1]',
      '192.168.1.20',
      'laptop',
      'laptop.local',
    ])
      expect(codesOf({ ...dev, SVC_BASE_API_URL: `http://${host}:3000` })).toEqual([]);
    expect(
      codesOf({ ...dev, SVC_BASE_API_URL: 'http://localhost:3000', SVC_TRUSTED_PROXIES: '127.0.0.1' }),
    ).toEqual(['DEV_BEHIND_PROXY']);
  });

  it('finds a Node that gets no more security fixes', () => {
    const at = (version: string, day: string, environment = 'prod') =>
      agedNode({ ...parseEnvironment(SOUND), environment }, version, new Date(day)).map(({ code }) => code);

    expect(at('22.13.0', '2027-04-29')).toEqual([]);
    expect(at('22.13.0', '2027-05-01')).toEqual(['NODE_END_OF_LIFE']);
    expect(at('22.13.0', '2027-05-01', 'dev')).toEqual([]);
    expect(at('30.0.0', '2027-05-01')).toEqual([]);
  });

  it('finds a test key of Stripe', () => {
    const stripe = { ...parseEnvironment(SOUND), stripeSecretKey: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc' };
    expect(preflight(stripe)).toMatchObject([{ code: 'STRIPE_TEST_KEY' }]);
  });

  it('never repeats a secret', () => {
    const findings = UNSOUND.map(([, variables]) => preflight(parseEnvironment({ ...SOUND, ...variables })));
    for (const [, { SVC_JWT_SECRET_KEY, SVC_CRON_SECRET, SVC_METRICS_TOKEN }] of UNSOUND)
      for (const secret of [SVC_JWT_SECRET_KEY, SVC_CRON_SECRET, SVC_METRICS_TOKEN])
        if (secret) expect(JSON.stringify(findings)).not.toContain(secret);
  });
});

describe('the start', () => {
  it('is refused with every malformed and every unsound setting at once, and the fix for each', async () => {
    const { code, output } = await runProgram('main', [], {
      ...SOUND,
      SVC_BASE_API_URL: 'https://api.initrode.com',
      SVC_BCRYPT_COST: '4',
      SVC_CRON_SECRET: SOUND.SVC_JWT_SECRET_KEY,
      SVC_EMAIL_PROVIDER: 'stub',
      SVC_PORT: 'http',
    });

    expect(code).toBe(1);
    for (const sentence of [
      'SVC_PORT must',
      'SITES_DIFFER: ',
      'HASHES_CHEAP: ',
      'SECRET_REPEATED: ',
      'MAIL_STUB: ',
    ])
      expect(output).toContain(sentence);
    expect(output).toContain('Set SVC_EMAIL_PROVIDER to mailapi, cloudmail or smtp.');
  });
});

describe('the start of dev', () => {
  it('is refused where the service has an address of the internet', async () => {
    const { code, output } = await runProgram('main', [], {
      SVC_ENVIRONMENT: 'dev',
      SVC_BASE_API_URL: 'https://api.example.com',
    });

    expect(code).toBe(1);
    expect(output).toContain('DEV_PUBLIC: ');
  });
});

describe('a site', () => {
  it.each([
    ['https://app.initech.com', 'https://initech.com', true],
    ['https://app.initech.co.uk', 'https://api.initech.co.uk:8443/v1', true],
    ['https://initech.co.uk', 'https://initrode.co.uk', false],
    ['https://initech.github.io', 'https://initrode.github.io', false],
    ['http://app.initech.com', 'https://api.initech.com', false],
    ['http://localhost:5173', 'http://localhost:3000', true],
    ['http://localhost:5173', 'http://127.0.0.1:3000', false],
    ['http://10.0.0.1', 'http://10.0.0.2', false],
    ['http://[::1]:5173', 'http://[::1]:3000', true],
  ])('of %s and %s is one: %s', (one, other, isOne) => {
    expect(isSameSite(one, other)).toBe(isOne);
  });
});
