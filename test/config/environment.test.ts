import { describe, expect, it } from '@jest/globals';
import { InvalidEnvironment, parseEnvironment } from '../../src/config/read-environment.js';

const PROD = {
  SVC_ENVIRONMENT: 'prod',
  SVC_BASE_WEB_URL: 'https://app.example.com',
  SVC_BASE_API_URL: 'https://api.example.com',
  SVC_DATABASE_URL: 'postgres://service@database/service',
  SVC_EMAIL_PROVIDER: 'stub',
  SVC_JWT_SECRET_KEY: 'k'.repeat(32),
};

/** The faults of a configuration that is sound but for some variables. */
function faultsOf(variables: Record<string, string>): string[] {
  try {
    parseEnvironment({ ...PROD, ...variables });
    return [];
  } catch (error) {
    if (error instanceof InvalidEnvironment) return error.faults;
    throw error;
  }
}

/** The variables that faults are about, in order of the alphabet. */
const named = (faults: string[]) => faults.map((fault) => fault.split(' ')[0]).sort();

describe('the environment', () => {
  it('names every variable that is wrong, at once', () => {
    const faults = faultsOf({
      SVC_APP_MODE: 'b2g',
      SVC_BASE_API_URL: 'api.example.com',
      SVC_BCRYPT_COST: 'ten',
      SVC_DATABASE_URL: 'mysql://database/service',
      SVC_JWT_SECRET_KEY: 'short',
      SVC_LOG_LEVEL: 'loud',
      SVC_SESSION_COOKIE_NAME: 'session id',
    });

    expect(named(faults)).toEqual([
      'SVC_APP_MODE',
      'SVC_BASE_API_URL',
      'SVC_BCRYPT_COST',
      'SVC_DATABASE_URL',
      'SVC_JWT_SECRET_KEY',
      'SVC_LOG_LEVEL',
      'SVC_SESSION_COOKIE_NAME',
    ]);
  });

  it('tells every fault in the message that the start ends with', () => {
    expect(() => parseEnvironment({ ...PROD, SVC_PORT: 'http', SVC_HOST: '', SVC_APP_MODE: 'b2g' })).toThrow(
      /SVC_APP_MODE must be .*\n.*SVC_PORT must/,
    );
  });

  it.each(Object.keys(PROD))('says that %s is missing, and takes an empty one as missing', (variable) => {
    const missing = [expect.stringMatching(`^${variable} is missing`)];

    expect(faultsOf({ [variable]: '' })).toEqual(missing);
    expect(faultsOf({ [variable]: '  ' })).toEqual(missing);
  });

  it('takes the default of a variable that is set to nothing', () => {
    const environment = parseEnvironment({
      ...PROD,
      SVC_PORT: '',
      SVC_CORS_ORIGINS: '',
      SVC_CRON_SECRET: '',
    });

    expect(environment).toMatchObject({ port: 3000, corsOrigins: [] });
    expect(environment.cronSecret).toBeUndefined();
  });

  it('starts in dev with nothing else configured, with a secret of its own each time', () => {
    const [one, other] = [0, 1].map(() => parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_PORT: '4000' }));

    expect(one).toMatchObject({
      appMode: 'b2c',
      baseWebUrl: 'http://localhost:5173',
      baseApiUrl: 'http://localhost:4000',
      emailProvider: 'stub',
      sessionCookieName: 'session_id',
      sessionCookieMaxAge: 86_400,
    });
    expect(one?.jwtSecretKey).not.toBe(other?.jwtSecretKey);
  });

  it('lends none of the defaults of dev to an environment it does not know', () => {
    expect(parseEnvironment({ ...PROD, SVC_ENVIRONMENT: 'staging' }).environment).toBe('staging');
    expect(() => parseEnvironment({ SVC_ENVIRONMENT: 'staging' })).toThrow('SVC_JWT_SECRET_KEY is missing');
  });

  it('never repeats a secret in a fault', () => {
    const secret = 'hunter2';
    const faults = faultsOf({
      SVC_CRON_SECRET: secret,
      SVC_DATABASE_URL: `mysql://root:${secret}@database`,
      SVC_JWT_SECRET_KEY: secret,
      SVC_BASE_WEB_URL: `https://user:${secret}@app.example.com`,
    });

    expect(faults).toHaveLength(4);
    expect(faults.join()).not.toContain(secret);
  });

  it.each(['beta', 'prod'])('refuses two origins in %s, which has exactly one', (environment) => {
    const origins = 'https://app.example.com, https://www.example.com';

    expect(named(faultsOf({ SVC_ENVIRONMENT: environment, SVC_CORS_ORIGINS: origins }))).toEqual([
      'SVC_CORS_ORIGINS',
    ]);
    expect(faultsOf({ SVC_ENVIRONMENT: 'dev', SVC_CORS_ORIGINS: origins })).toEqual([]);
  });

  it.each([
    ['SVC_TRUSTED_PROXIES', ['10.0.0.0/8, 192.168.1.1', '::1/128,fd00::/8', '0.0.0.0/0']],
    ['SVC_CRON_SCHEDULE', ['0 3 * * *', '*/30 0 3 * * 1']],
    ['SVC_PORT', ['0', '65535']],
    ['SVC_CORS_ORIGINS', ['https://app.example.com', 'http://localhost:8080']],
    ['SVC_STRIPE_WEBHOOK_SECRET', ['whsec_1', 'whsec_1,whsec_2']],
    ['SVC_STRIPE_PRICE_IDS', ['price_1', 'price_1, gold.2019']],
    ['SVC_STRIPE_API_BASE', ['http://127.0.0.1:12111', 'https://api.stripe.com/']],
  ])('accepts %s as any of %j', (variable, values) => {
    expect(values.flatMap((value) => faultsOf({ [variable]: value }))).toEqual([]);
  });

  it.each([
    [
      'SVC_TRUSTED_PROXIES',
      ['10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.1/8/8', 'proxy', '10.0.0.1/', 'true'],
    ],
    ['SVC_CRON_SCHEDULE', ['nightly', '0 3 * *', '61 * * * *', '0 3 * * * * *']],
    ['SVC_PORT', ['-1', '65536', '3000.5', 'http']],
    ['SVC_CORS_ORIGINS', ['*', 'null', 'https://app.example.com/', 'app.example.com', 'https://a.com/spa']],
    ['SVC_STRIPE_WEBHOOK_SECRET', ['we_1', 'whsec_', 'whsec_1,we_1', 'whsec_1,whsec_2,whsec_3']],
    ['SVC_STRIPE_PRICE_IDS', ['price_1,../customers', 'price 1']],
    ['SVC_STRIPE_API_BASE', ['api.stripe.com', 'https://api.stripe.com?a=b']],
    ['SVC_STRIPE_PAST_DUE_GRACE_DAYS', ['-1', '91', '1.5']],
    [
      'SVC_BASE_WEB_URL',
      ['app.example.com', 'ftp://app.example.com', 'https://app.example.com?a=b', 'https://'],
    ],
  ])('refuses %s as any of %j', (variable, values) => {
    for (const value of values)
      expect([value, named(faultsOf({ [variable]: value }))]).toEqual([value, [variable]]);
  });

  it('refuses a key of Stripe without the secret of its webhooks', () => {
    const key = { SVC_STRIPE_SECRET_KEY: 'sk_live_1' };

    expect(faultsOf(key)).toEqual([expect.stringMatching('^SVC_STRIPE_WEBHOOK_SECRET is missing')]);
    expect(faultsOf({ ...key, SVC_STRIPE_WEBHOOK_SECRET: ' , ' })).toHaveLength(1);
    expect(faultsOf({ ...key, SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1' })).toEqual([]);
  });

  it('refuses a key of Stripe that is not secret', () => {
    for (const key of ['pk_live_1', 'sk_', 'whsec_1', 'sk live'])
      expect(named(faultsOf({ SVC_STRIPE_SECRET_KEY: key, SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1' }))).toEqual([
        'SVC_STRIPE_SECRET_KEY',
      ]);
  });

  it('takes the trailing slash off a base address', () => {
    const slashed = {
      SVC_BASE_WEB_URL: 'https://example.com/app/',
      SVC_BASE_API_URL: 'https://example.com//',
    };

    expect(parseEnvironment({ ...PROD, ...slashed })).toMatchObject({
      baseWebUrl: 'https://example.com/app',
      baseApiUrl: 'https://example.com',
    });
  });
});
