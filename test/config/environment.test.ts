import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { unknownSettings } from '../../src/config/preflight/unknown-settings.js';
import { InvalidEnvironment, parseEnvironment } from '../../src/config/read-environment.js';
import { isHttpUrl } from '../../src/config/variables.js';

const PROD = {
  SVC_ENVIRONMENT: 'prod',
  SVC_BASE_WEB_URL: 'https://app.example.com',
  SVC_BASE_API_URL: 'https://api.example.com',
  SVC_DATABASE_URL: 'postgres://service@database/service',
  SVC_EMAIL_PROVIDER: 'stub',
  SVC_JWT_SECRET_KEY: 'k'.repeat(32),
};

/** The errors of a configuration that is valid except for some variables. */
function errorsOf(variables: Record<string, string>): string[] {
  try {
    parseEnvironment({ ...PROD, ...variables });
    return [];
  } catch (error) {
    if (error instanceof InvalidEnvironment) return error.errors;
    throw error;
  }
}

const MAILAPI = {
  SVC_MAILAPI_API_KEY: 'SG.a-key',
  SVC_MAILAPI_SENDER_ADDRESS: 'no-reply@example.com',
};
const CLOUDMAIL = {
  SVC_CLOUDMAIL_CONNECTION_STRING: 'endpoint=https://mail.communication.azure.com/;accesskey=YSBrZXk=',
  SVC_CLOUDMAIL_SENDER_ADDRESS: 'DoNotReply@example.com',
};

const SMTP = { SVC_SMTP_HOST: 'smtp.example.com', SVC_SMTP_SENDER_ADDRESS: 'no-reply@example.com' };

const folder = mkdtempSync(join(tmpdir(), 'latchkey-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const file = join(folder, 'value');
  writeFileSync(file, content);
  return file;
}

/** The variables that errors are about, in order of the alphabet. */
const named = (errors: string[]) => errors.map((error) => error.split(' ')[0]).sort();

describe('the environment', () => {
  it('names every variable that is wrong, at once', () => {
    const errors = errorsOf({
      SVC_APP_MODE: 'b2g',
      SVC_BASE_API_URL: 'api.example.com',
      SVC_BCRYPT_COST: 'ten',
      SVC_DATABASE_URL: 'mysql://database/service',
      SVC_JWT_SECRET_KEY: 'short',
      SVC_LOG_LEVEL: 'loud',
      SVC_SESSION_COOKIE_NAME: 'session id',
    });

    expect(named(errors)).toEqual([
      'SVC_APP_MODE',
      'SVC_BASE_API_URL',
      'SVC_BCRYPT_COST',
      'SVC_DATABASE_URL',
      'SVC_JWT_SECRET_KEY',
      'SVC_LOG_LEVEL',
      'SVC_SESSION_COOKIE_NAME',
    ]);
  });

  it('names every error in the message that the start ends with', () => {
    expect(() => parseEnvironment({ ...PROD, SVC_PORT: 'http', SVC_HOST: '', SVC_APP_MODE: 'b2g' })).toThrow(
      /SVC_APP_MODE must be .*\n.*SVC_PORT must/,
    );
  });

  it.each(Object.keys(PROD))('says that %s is missing, and takes an empty one as missing', (variable) => {
    const missing = [expect.stringMatching(`^${variable} is missing`)];

    expect(errorsOf({ [variable]: '' })).toEqual(missing);
    expect(errorsOf({ [variable]: '  ' })).toEqual(missing);
  });

  it('uses the default of a variable that is empty', () => {
    const environment = parseEnvironment({
      ...PROD,
      SVC_PORT: '',
      SVC_CORS_ORIGINS: '',
      SVC_CRON_SECRET: '',
    });

    expect(environment).toMatchObject({ port: 3000, corsOrigins: [] });
    expect(environment.cronSecret).toBeUndefined();
  });

  it('starts in dev with nothing else configured, with the same secret each time', () => {
    const [one, other] = [0, 1].map(() => parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_PORT: '4000' }));

    expect(one).toMatchObject({
      appMode: 'b2c',
      baseWebUrl: 'http://localhost:4000/ui',
      baseApiUrl: 'http://localhost:4000',
      emailProvider: 'stub',
      sessionCookieName: 'session_id',
      sessionCookieMaxAge: 86_400,
    });
    expect(one?.jwtSecretKey).toEqual(other?.jwtSecretKey);
  });

  it('takes requests for a second more after a signal to stop, and in dev for none', () => {
    expect(parseEnvironment(PROD).stopDelaySeconds).toBe(1);
    expect(parseEnvironment({ SVC_ENVIRONMENT: 'dev' }).stopDelaySeconds).toBe(0);
  });

  it('uses none of the defaults of dev in an environment with an unknown name', () => {
    expect(parseEnvironment({ ...PROD, SVC_ENVIRONMENT: 'staging' }).environment).toBe('staging');
    expect(() => parseEnvironment({ SVC_ENVIRONMENT: 'staging' })).toThrow('SVC_JWT_SECRET_KEY is missing');
  });

  it('never repeats a secret in an error', () => {
    const secret = 'hunter2';
    const errors = errorsOf({
      SVC_CRON_SECRET: secret,
      SVC_DATABASE_URL: `mysql://root:${secret}@database`,
      SVC_JWT_SECRET_KEY: secret,
      SVC_BASE_WEB_URL: `https://user:${secret}@app.example.com`,
      SVC_MAILAPI_API_KEY: `${secret}\n`,
      SVC_CLOUDMAIL_CONNECTION_STRING: `endpoint=mail.example.com;accesskey=${secret}`,
    });

    expect(errors).toHaveLength(6);
    expect(errors.join()).not.toContain(secret);
  });

  describe.each(['SVC_IDP_AUTHORIZATION_URL', 'SVC_IDP_TOKEN_URL', 'SVC_IDP_USERINFO_URL'])(
    'with another %s than that of Google',
    (endpoint) => {
      const other = {
        SVC_IDP_CLIENT_ID: 'a client',
        SVC_IDP_CLIENT_SECRET: 'its secret',
        [endpoint]: 'https://idp.example.com/oauth',
      };

      it('requires the issuer of the provider, and does not use the default', () => {
        expect(errorsOf(other)).toEqual([expect.stringMatching(`^SVC_IDP_ISSUER is missing: .*${endpoint}`)]);
        expect(errorsOf({ ...other, SVC_IDP_ISSUER: ' ' })).toHaveLength(1);
      });

      it('accepts any issuer that is named, and requires none where there is no client', () => {
        expect(errorsOf({ ...other, SVC_IDP_ISSUER: 'https://idp.example.com' })).toEqual([]);
        expect(errorsOf({ ...other, SVC_IDP_ISSUER: 'https://accounts.google.com' })).toEqual([]);
        expect(errorsOf({ ...other, SVC_IDP_CLIENT_ID: '' })).toEqual([]);
      });
    },
  );

  it('waits for the time of a login only where the provider is asked for openid', () => {
    const trusted = {
      SVC_IDP_CLIENT_ID: 'a client',
      SVC_IDP_CLIENT_SECRET: 'its secret',
      SVC_IDP_SAYS_AUTH_TIME: 'true',
    };

    expect(errorsOf(trusted)).toEqual([]);
    expect(errorsOf({ ...trusted, SVC_IDP_SCOPE: 'profile' })).toEqual([
      'SVC_IDP_SAYS_AUTH_TIME must be false: the scope has no openid',
    ]);
    expect(errorsOf({ ...trusted, SVC_IDP_SCOPE: 'profile', SVC_IDP_CLIENT_ID: '' })).toEqual([]);
  });

  it.each([
    ['mailapi', MAILAPI],
    ['cloudmail', CLOUDMAIL],
    ['smtp', SMTP],
  ])('wants all that %s needs, as the provider of mail and as the second one', (provider, needed) => {
    for (const choice of ['SVC_EMAIL_PROVIDER', 'SVC_EMAIL_FALLBACK_PROVIDER']) {
      const missing = Object.keys(needed).map((name) =>
        expect.stringMatching(`^${name} is missing: mail is to go through ${provider}$`),
      );
      expect(errorsOf({ [choice]: provider })).toEqual(missing);
      expect(errorsOf({ [choice]: provider, ...needed })).toEqual([]);
    }
  });

  it('requires a user and a password for the SMTP server, or neither', () => {
    const [user, password] = [
      { SVC_SMTP_USER: 'latchkey' },
      { SVC_SMTP_PASSWORD: 'a password, with = and %' },
    ];

    expect(errorsOf({ ...user, ...password })).toEqual([]);
    expect(named(errorsOf({ ...user, SVC_SMTP_PASSWORD: 'of a file\n' }))).toEqual(['SVC_SMTP_PASSWORD']);
    for (const half of [user, password])
      expect(errorsOf(half)).toEqual(['SVC_SMTP_USER and SVC_SMTP_PASSWORD must both be set, or neither']);
  });

  it('requires another provider of mail as the second one, and not the stub', () => {
    const mailapi = { SVC_EMAIL_PROVIDER: 'mailapi', ...MAILAPI };
    for (const second of ['mailapi', 'stub']) {
      const errors = errorsOf({ ...mailapi, SVC_EMAIL_FALLBACK_PROVIDER: second });
      expect(named(errors)).toEqual(['SVC_EMAIL_FALLBACK_PROVIDER']);
    }
    expect(named(errorsOf({ SVC_EMAIL_PROVIDER: 'constructor' }))).toEqual(['SVC_EMAIL_PROVIDER']);
  });

  it.each(['beta', 'prod'])('refuses two origins in %s, which has exactly one', (environment) => {
    const origins = 'https://app.example.com, https://www.example.com';

    expect(named(errorsOf({ SVC_ENVIRONMENT: environment, SVC_CORS_ORIGINS: origins }))).toEqual([
      'SVC_CORS_ORIGINS',
    ]);
    expect(errorsOf({ SVC_ENVIRONMENT: 'dev', SVC_CORS_ORIGINS: origins })).toEqual([]);
  });

  it.each(['beta', 'prod', 'staging'])('refuses to be without rate limits in %s', (environment) => {
    const off = { SVC_ENVIRONMENT: environment, SVC_RATE_LIMITS: 'off' };

    expect(errorsOf(off)).toEqual(['SVC_RATE_LIMITS may be off only in dev']);
    expect(errorsOf({ ...off, SVC_ENVIRONMENT: 'dev' })).toEqual([]);
  });

  it('refuses to lead mails to pages that are off', () => {
    const toPages = { SVC_BASE_WEB_URL: 'https://api.example.com/ui/' };
    const fault = 'SVC_PAGES must be on: SVC_BASE_WEB_URL leads to the pages of the service';

    expect(errorsOf(toPages)).toEqual([]);
    expect(errorsOf({ ...toPages, SVC_PAGES: 'off' })).toEqual([fault]);
    expect(errorsOf({ ...toPages, SVC_ENVIRONMENT: 'staging' })).toEqual([fault]);
    expect(errorsOf({ ...toPages, SVC_ENVIRONMENT: 'staging', SVC_PAGES: 'on' })).toEqual([]);
    expect(errorsOf({ SVC_PAGES: 'off' })).toEqual([]);
  });

  it('leads mails to the pages in dev, and without them to where an application is developed', () => {
    const webUrl = (variables: Record<string, string>) =>
      parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...variables }).baseWebUrl;

    expect(webUrl({})).toBe('http://localhost:3000/ui');
    expect(webUrl({ SVC_BASE_API_URL: 'http://127.0.0.1:8080/api/' })).toBe('http://127.0.0.1:8080/api/ui');
    expect(webUrl({ SVC_PAGES: 'off' })).toBe('http://localhost:5173');
    expect(webUrl({ SVC_BASE_WEB_URL: 'http://localhost:5173' })).toBe('http://localhost:5173');
  });

  it('reads limits in any order, and puts the shortest first', () => {
    const { limitMailPerAddress } = parseEnvironment({
      ...PROD,
      SVC_LIMIT_MAIL_PER_ADDRESS: '9/1d, 5/2h,1/30s',
    });

    expect(limitMailPerAddress).toEqual([
      { max: 1, seconds: 30 },
      { max: 5, seconds: 7200 },
      { max: 9, seconds: 86_400 },
    ]);
  });

  it.each([
    ['SVC_LIMIT_LOGIN_PER_ACCOUNT', ['10/15m', '1/1s', '1/1m,5/1h', '1000000/24h']],
    ['SVC_TRUSTED_PROXIES', ['10.0.0.0/8, 192.168.1.1', '::1/128,fd00::/8', '0.0.0.0/0']],
    ['SVC_CRON_SCHEDULE', ['0 3 * * *', '*/30 0 3 * * 1']],
    ['SVC_PORT', ['0', '65535']],
    ['SVC_WORKERS', ['1', '4', 'auto']],
    ['SVC_CORS_ORIGINS', ['https://app.example.com', 'http://localhost:8080']],
    [
      'SVC_ORG_URL',
      [
        'https://app.example.com/o/{org}',
        'https://app.example.com/?org={org}',
        'https://app.example.com/#/{org}',
      ],
    ],
    ['SVC_PRODUCT_NAME', ['Initech', 'Initech & Söhne']],
    ['SVC_SUPPORT_EMAIL', ['help@example.com']],
    ['SVC_PRODUCT_COLOR', ['#3f46d6', '#FFFFFF']],
    ['SVC_PRODUCT_LOGO_URL', ['https://cdn.example.com/logo.svg?v=2']],
    ['SVC_TERMS_URL', ['https://www.example.com/terms', 'http://localhost:8080/{language}/terms']],
    ['SVC_PAGES', ['on', 'off']],
    ['SVC_MAILAPI_BASE_URL', ['https://api.eu.sendgrid.com/', 'http://127.0.0.1:8080', 'http://[::1]:8080']],
    [
      'SVC_CLOUDMAIL_CONNECTION_STRING',
      [
        'endpoint=https://mail.communication.azure.com;accesskey=YQ==',
        'Endpoint=http://127.0.0.1:80/;AccessKey=YQ==',
      ],
    ],
    ['SVC_SMTP_HOST', ['smtp.example.com', 'mail_pit', 'localhost', '10.0.0.1', '::1']],
    ['SVC_SMTP_TLS', ['starttls', 'implicit', 'off']],
    ['SVC_STRIPE_WEBHOOK_SECRET', ['whsec_1', 'whsec_1,whsec_2']],
    ['SVC_STRIPE_PRICE_IDS', ['price_1', 'price_1, gold.2019']],
    ['SVC_STRIPE_API_BASE', ['http://127.0.0.1:12111', 'https://api.stripe.com/']],
    ['SVC_AI_BASE_URL', ['https://models.example.com/openai/v1/', 'http://localhost:11434/v1']],
  ])('accepts every form that %s may have', (variable, values) => {
    expect(values.flatMap((value) => errorsOf({ [variable]: value }))).toEqual([]);
  });

  it.each([
    [
      'SVC_LIMIT_LOGIN_PER_ACCOUNT',
      [
        '10',
        '10/m',
        '0/1m',
        '1/0m',
        '-1/1m',
        '1.5/1m',
        '1/25h',
        '1000001/1h',
        '1/1m,',
        '1/1m,2/60s',
        '1/1w',
        'off',
      ],
    ],
    [
      'SVC_TRUSTED_PROXIES',
      ['10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.1/8/8', 'proxy', '10.0.0.1/', 'true'],
    ],
    ['SVC_CRON_SCHEDULE', ['nightly', '0 3 * *', '61 * * * *', '0 3 * * * * *']],
    ['SVC_PORT', ['-1', '65536', '3000.5', 'http']],
    ['SVC_WORKERS', ['0', '129', '1.5', 'all']],
    ['SVC_CORS_ORIGINS', ['*', 'null', 'https://app.example.com/', 'app.example.com', 'https://a.com/spa']],
    ['SVC_STRIPE_WEBHOOK_SECRET', ['we_1', 'whsec_', 'whsec_1,we_1', 'whsec_1,whsec_2,whsec_3']],
    ['SVC_STRIPE_PRICE_IDS', ['price_1,../customers', 'price 1']],
    [
      'SVC_STRIPE_API_BASE',
      [
        'api.stripe.com',
        'http://api.stripe.com',
        'https://api.stripe.com?a=b',
        'https://proxy.example/stripe',
      ],
    ],
    ['SVC_STRIPE_PAST_DUE_GRACE_DAYS', ['-1', '91', '1.5']],
    ['SVC_STRIPE_TRIAL_DAYS', ['0', '731', '1.5']],
    ['SVC_STRIPE_TRIAL_CARD', ['off', 'none']],
    ['SVC_STRIPE_PROMOTION_CODES', ['yes']],
    ['SVC_STRIPE_AUTOMATIC_TAX', ['true']],
    ['SVC_STRIPE_BILLING_ADDRESS', ['always']],
    ['SVC_STRIPE_DUNNING_MAIL', ['yes', 'On']],
    [
      'SVC_BASE_WEB_URL',
      ['app.example.com', 'ftp://app.example.com', 'https://app.example.com?a=b', 'https://'],
    ],
    [
      'SVC_ORG_URL',
      [
        'https://app.example.com',
        'https://app.example.com/{org}/{org}',
        'https://app.example.com/{id}/{org}',
        'https://{org}.example.com/',
        'javascript:open({org})',
        '/o/{org}',
        'https://ada@app.example.com/{org}',
        'https://evil.example/o/{org}',
      ],
    ],
    ['SVC_PRODUCT_NAME', ['Ini\ntech', 'a'.repeat(201)]],
    ['SVC_PRODUCT_COLOR', ['red', '#fff', '#3f46d6;', '3f46d6', 'url(https://evil.example)']],
    ['SVC_PRODUCT_LOGO_URL', ['http://cdn.example.com/logo.svg', '/logo.svg', 'data:image/png;base64,']],
    [
      'SVC_PRIVACY_URL',
      ['javascript:alert(1)', 'www.example.com/privacy', 'https://example.com/{lang}/privacy'],
    ],
    ['SVC_PAGES', ['true', 'ON']],
    ['SVC_SUPPORT_EMAIL', ['help', 'Help <help@example.com>', 'help@example.com, root@example.com']],
    ['SVC_EMAIL_TIMEOUT_SECONDS', ['0', '26', '1.5', 'ten']],
    ['SVC_MAILAPI_API_KEY', ['SG.key\n', 'SG. key', 'SG.kéy']],
    ['SVC_MAILAPI_SENDER_ADDRESS', ['Latchkey', 'Latchkey <no-reply@example.com>', '@example.com']],
    ['SVC_MAILAPI_SENDER_NAME', ['Latch\nkey']],
    ['SVC_MAILAPI_BASE_URL', ['http://api.sendgrid.com', 'api.sendgrid.com', 'https://api.sendgrid.com?a=b']],
    ['SVC_AI_API_KEY', ['sk-key\n', 'sk-two keys']],
    [
      'SVC_AI_BASE_URL',
      ['http://models.example.com/v1', 'models.example.com', 'https://models.example.com/v1?a=b'],
    ],
    ['SVC_AI_TIMEOUT_SECONDS', ['0', '31', '1.5']],
    [
      'SVC_SMTP_HOST',
      ['smtp.example.com:587', 'smtps://smtp.example.com', '[::1]', 'smtp example.com', 'smtp.example.com\n'],
    ],
    ['SVC_SMTP_PORT', ['0', '65536', 'smtps']],
    ['SVC_SMTP_TLS', ['on', 'opportunistic']],
    ['SVC_SMTP_SENDER_ADDRESS', ['Latchkey <no-reply@example.com>', 'a@example.com\r\nBcc: b@example.com']],
    ['SVC_SMTP_SENDER_NAME', ['Latchkey\r\nBcc: eve@example.com']],
    ['SVC_CLOUDMAIL_SENDER_ADDRESS', ['DoNotReply']],
    [
      'SVC_CLOUDMAIL_CONNECTION_STRING',
      [
        'endpoint=https://mail.communication.azure.com',
        'endpoint=;accesskey=YQ==',
        'endpoint=http://mail.communication.azure.com;accesskey=YQ==',
        'endpoint=https://mail.communication.azure.com/path;accesskey=YQ==',
        'endpoint=https://mail.communication.azure.com;accesskey=',
        'endpoint=https://mail.communication.azure.com;accesskey=YQ==;',
        'https://mail.communication.azure.com',
      ],
    ],
  ])('refuses every form that %s may not have', (variable, values) => {
    for (const value of values)
      expect([value, named(errorsOf({ [variable]: value }))]).toEqual([value, [variable]]);
  });

  it('refuses a key of Stripe without the secret of its webhooks', () => {
    const key = { SVC_STRIPE_SECRET_KEY: 'sk_live_1' };

    expect(errorsOf(key)).toEqual([expect.stringMatching('^SVC_STRIPE_WEBHOOK_SECRET is missing')]);
    expect(errorsOf({ ...key, SVC_STRIPE_WEBHOOK_SECRET: ' , ' })).toHaveLength(1);
    expect(errorsOf({ ...key, SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1' })).toEqual([]);
  });

  it('refuses a key of Stripe that is not secret', () => {
    for (const key of ['pk_live_1', 'sk_', 'whsec_1', 'sk live'])
      expect(named(errorsOf({ SVC_STRIPE_SECRET_KEY: key, SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1' }))).toEqual([
        'SVC_STRIPE_SECRET_KEY',
      ]);
  });

  it('reads the value of a setting from the file that SVC_X_FILE names, without the line break at its end', () => {
    const { SVC_JWT_SECRET_KEY: secret, ...others } = PROD;
    const file = fileWith(`${secret}\n`);

    expect(parseEnvironment({ ...others, SVC_JWT_SECRET_KEY_FILE: file }).jwtSecretKey).toEqual([secret]);
    expect(
      parseEnvironment({ ...others, SVC_JWT_SECRET_KEY: ' ', SVC_JWT_SECRET_KEY_FILE: file }),
    ).toMatchObject({
      jwtSecretKey: [secret],
    });
    expect(unknownSettings({ SVC_JWT_SECRET_KEY_FILE: file })).toEqual([]);
  });

  it('refuses a file that cannot be read, one beside the setting itself, and a value that is not valid', () => {
    const file = fileWith('ten');

    expect(errorsOf({ SVC_PORT_FILE: '/nowhere' })).toEqual([
      'SVC_PORT_FILE names /nowhere, which cannot be read: ENOENT',
    ]);
    expect(errorsOf({ SVC_PORT: '3000', SVC_PORT_FILE: file })[0]).toBe(
      'SVC_PORT_FILE is set, and so is SVC_PORT',
    );
    expect(named(errorsOf({ SVC_PORT_FILE: file }))).toEqual(['SVC_PORT']);
  });

  it('removes the trailing slash of a base address', () => {
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

it('accepts an address with an umlaut each time, also when the compiler has optimised the check', () => {
  const address = (value: string) => named(errorsOf({ SVC_BASE_WEB_URL: value }));

  for (let time = 0; time < 20_000; time++) isHttpUrl('https://app.bücher.example');
  expect(isHttpUrl('https://app.bücher.example')).toBe(true);
  expect(address('https://app.bücher.example')).toEqual([]);
});

describe('the domain of the passkeys', () => {
  const hosts = (host: string, rpId: string) =>
    errorsOf({ SVC_BASE_WEB_URL: `https://${host}`, SVC_PASSKEY_RP_ID: rpId });

  it.each([
    ['app.example.com', 'app.example.com'],
    ['app.example.com', 'example.com'],
    ['app.example.co.uk', 'example.co.uk'],
    ['me.github.io', 'me.github.io'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
  ])('of %s may be %s', (host, rpId) => {
    expect(hosts(host, rpId)).toEqual([]);
  });

  it.each([
    ['app.example.com', 'com'],
    ['app.example.com', 'ple.com'],
    ['app.example.com', 'www.app.example.com'],
    ['app.example.com', 'Example.com'],
    ['app.example.com', 'example.com.'],
    ['app.example.com', '.example.com'],
    ['app.example.com', 'https://example.com'],
    ['app.example.co.uk', 'co.uk'],
    ['me.github.io', 'github.io'],
    ['app.xn--55qx5d.cn', 'xn--55qx5d.cn'],
    ['bücher.example', 'bücher.example'],
    ['evilexample.com', 'example.com'],
    ['app.localhost', 'localhost'],
    ['192.0.2.1', '2.1'],
    ['[2001:db8::1]', '1'],
  ])('of %s may not be %s', (host, rpId) => {
    expect(new Set(named(hosts(host, rpId)))).toEqual(new Set(['SVC_PASSKEY_RP_ID']));
  });
});
