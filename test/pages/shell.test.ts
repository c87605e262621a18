import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

const PAGES = [
  'login',
  'login-code',
  'signup',
  'verify-email',
  'confirm-email',
  'secure-account',
  'forgot-password',
  'reset-password',
  'accept-invitation',
  'second-step',
  'account',
  'security',
  'billing',
].map((name) => `/ui/${name}`);

/** The scripts of pages and screens. Those that are missing here have the most common script of their area. */
const SCRIPTS: Record<string, string> = {
  '/ui/login-code': 'code',
  '/ui/account': 'account',
  '/ui/security': 'security',
  '/ui/second-step': 'security',
  '/ui/billing': 'billing',
  '/admin/organization': 'admin',
  '/admin/activity': 'activity',
  '/admin/users': 'users',
  '/admin/user': 'users',
};

const SCREENS = [
  '/admin',
  ...['organizations', 'organization', 'users', 'user', 'activity', 'mail', 'billing', 'system'].map(
    (name) => `/admin/${name}`,
  ),
];

const BILLING = { SVC_STRIPE_SECRET_KEY: 'sk_test_1', SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1' };

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await TestDatabase.create();
  app = await TestApp.start(
    { ...BILLING, SVC_EMAIL_CODE_LOGIN: 'on', SVC_PRODUCT_COLOR: '#00aa55' },
    { database },
  );
});
afterAll(() => app.close());

/** What a document loads, as the browser resolves it. */
async function loadedBy(page: string, service = app): Promise<string[]> {
  const { text } = await service.browser().get(page);
  return [...text.matchAll(/<(?:link|script) [^>]*(?:src|href)="([^"]*)"/g)].map(
    ([, address]) => new URL(address ?? '', `http://localhost:3000${page}`).pathname,
  );
}

describe('a page', () => {
  it.each([
    ...PAGES.map((page) => [page, 'ui', SCRIPTS[page] ?? 'login']),
    ...SCREENS.map((screen) => [screen, 'admin', SCRIPTS[screen] ?? 'system']),
  ])('%s loads its files from this service, and has nothing inline', async (page = '', area, script) => {
    const { status, text, headers } = await app.browser().get(page);
    const addresses = await loadedBy(page);

    expect(status).toBe(200);
    const names = addresses.map((address) => address.replace(/(-\w{8})+\./, '.'));
    expect([...new Set(names)]).toEqual([
      '/ui/assets/mark.svg',
      `/ui/assets/${area}-style.css`,
      '/ui/assets/theme.css',
      `/ui/assets/${script}-words-en.json`,
      // What most visitors never open shares no file with the other pages.
      ...(script === 'code' ? [] : ['/ui/assets/chunk.js']),
      `/ui/assets/${script}.js`,
      '/ui/assets/recover.js',
    ]);
    for (const address of addresses)
      expect([address, (await app.browser().get(address)).status]).toEqual([address, 200]);
    expect(text).toContain('<html lang="en" dir="ltr">');
    expect(text).not.toMatch(/<style|style=|<script(?! type="module" src="[^"]+"><\/script>)| on\w+=/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ${page === '/admin/mail' ? "frame-src 'self'; " : ''}form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy':
        'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is the same for every visitor and every address', async () => {
    const [plain, other] = await Promise.all([
      app.browser().get('/ui/login'),
      app.browser({ cookie: 'session_id=of-somebody' }).get('/ui/login?error=%3Cscript%3E&token=a-secret'),
    ]);

    expect(other.text).toBe(plain.text);
  });

  it('says what the settings say, with every sign of markup escaped', async () => {
    const name = `Initech <b>"&' & Söhne`;
    const settings = {
      SVC_PRODUCT_NAME: name,
      SVC_PRODUCT_LOGO_URL: 'https://cdn.example.com/logo.svg?a=1&b=2',
      SVC_TERMS_URL: 'https://www.example.com/terms',
      SVC_SUPPORT_EMAIL: 'help@example.com',
      SVC_APP_MODE: 'b2b',
    };
    const other = await TestApp.start(settings, { database });
    const { text, headers } = await other.browser().get('/ui/login');
    await other.nest.close();

    const [, content = ''] = /<meta name="latchkey" content="([^"]*)">/.exec(text) ?? [];
    const facts = JSON.parse(
      content.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
    );
    expect(facts).toEqual({
      product: name,
      logoUrl: settings.SVC_PRODUCT_LOGO_URL,
      supportEmail: 'help@example.com',
      termsUrl: settings.SVC_TERMS_URL,
      privacyUrl: null,
      homeUrl: null,
      origins: [
        'http://localhost:5173',
        'http://localhost:4173',
        'http://127.0.0.1:5173',
        'http://127.0.0.1:4173',
      ],
      passwordMinLength: 8,
      hasPasskeys: true,
      isB2b: true,
      orgsPerUser: 1,
      orgUrl: null,
      hasBilling: false,
      hasActing: false,
      hasAi: false,
      hasDevMailbox: true,
    });
    expect(text).not.toContain('<b>');
    expect(headers['content-security-policy']).toContain(
      "img-src 'self' data: https://cdn.example.com; connect",
    );
    const logo = 'https://cdn.example.com/logo.svg?a=1&#38;b=2';
    expect(text).toContain(`<link rel="icon" href="${logo}">`);
    expect(text).toContain(`<link rel="apple-touch-icon" href="${logo}">`);
  });

  it.each([
    ['/ui/signup', { ...BILLING, SVC_APP_MODE: 'b2b' }],
    ['/ui/billing', {}],
    ['/admin/billing', {}],
    ['/', { SVC_ENVIRONMENT: 'beta', SVC_BASE_WEB_URL: 'https://app.example.com' }],
    ['/.well-known/change-password', { SVC_PAGES: 'off' }],
  ])('%s does not exist where the settings leave nothing to do there', async (page, settings) => {
    const other = await TestApp.start(settings, { database });
    const [answer, unknown] = await Promise.all([
      other.browser().get(page),
      other.browser().get('/no-such-path'),
    ]);
    await other.nest.close();

    expect(answer.status).toBe(404);
    expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
  });

  it.each([
    ['/', 'http://localhost:3000/ui'],
    ['/ui', 'http://localhost:3000/ui/account'],
    ['/.well-known/change-password', 'http://localhost:3000/ui/security'],
  ])('%s leads to %s', async (path, target) => {
    const { status, headers } = await app.browser().get(path);

    expect(status).toBe(302);
    expect(new URL(String(headers.location), `http://localhost:3000${path}`).href).toBe(target);
  });
});

describe('a page that is not there', () => {
  const ask = (url: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8', service = app) =>
    service.nest.inject({ url, headers: { accept } });

  it.each([
    ['/ui/x', '/ui/account', 'Your account'],
    ['/ui/login/x?token=a-secret', '/ui/account', 'Your account'],
    ['/admin/x', '/admin', 'The console'],
    ['/ui/assets/x.js', '/ui/account', 'Your account'],
  ])('%s shows a browser the way on to %s, without a script', async (url, way, words) => {
    const { statusCode, payload, headers } = await ask(url);

    expect(statusCode).toBe(404);
    expect(payload).toContain('Page not found');
    expect(payload).not.toMatch(/<script|a-secret/);
    const [, href = ''] = new RegExp(`href="([^"]*)">${words}<`).exec(payload) ?? [];
    expect(new URL(href, `http://localhost:3000${url}`).pathname).toBe(way);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
    });
    for (const [, address = ''] of payload.matchAll(/<(?:link|img)[^>]* (?:src|href)="([^"]*)"/g)) {
      const file = new URL(address, `http://localhost:3000${url}`).pathname;
      expect([file, (await ask(file, '*/*')).statusCode]).toEqual([file, 200]);
    }
  });

  it.each([
    ['/ui/x', 'application/json'],
    ['/ui/x', '*/*'],
    ['/uix', 'text/html'],
    ['/no-such-path', 'text/html'],
  ])('is a problem for a program, and %s is one for "%s"', async (url, accept) => {
    const { statusCode, headers } = await ask(url, accept);

    expect(statusCode).toBe(404);
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });

  it('is shown too where the settings close one', async () => {
    const b2b = await TestApp.start({ SVC_APP_MODE: 'b2b' }, { database });
    const { statusCode, payload } = await ask('/ui/signup', 'text/html', b2b);
    await b2b.nest.close();

    expect(statusCode).toBe(404);
    expect(payload).toContain('Page not found');
  });

  it.each([
    ['/ui/', '/ui'],
    ['/ui/login/?return_to=/ui/security', '/ui/login?return_to=/ui/security'],
    ['/ui/login//', '/ui/login'],
    ['/admin/', '/admin'],
    ['/admin/users/', '/admin/users'],
  ])('because of a slash at its end, %s leads to %s, below any path of a proxy', async (url, target) => {
    const { statusCode, headers } = await ask(url);

    expect(statusCode).toBe(308);
    const { origin, pathname, search } = new URL(
      String(headers.location),
      `https://api.example.com/v1${url}`,
    );
    expect([origin, pathname + search]).toEqual(['https://api.example.com', `/v1${target}`]);
  });

  it('leads to no other site, whatever stands in the path', async () => {
    for (const url of ['/ui//evil.example/', '/ui/https:/', '/ui/%2F%2Fevil.example/']) {
      const { headers } = await ask(url);
      expect(new URL(String(headers.location), `http://localhost:3000${url}`).origin).toBe(
        'http://localhost:3000',
      );
    }
  });
});

describe('what a script imports', () => {
  it.each(['/ui/login', '/ui/security', '/ui/billing', '/admin', '/admin/activity'])(
    'is named by %s, so that it loads beside the script and not after it',
    async (page) => {
      const { text } = await app.browser().get(page);
      const [, script = ''] = /<script type="module" src="([^"]*)"/.exec(text) ?? [];
      const { text: source } = await app.browser().get(new URL(script, `http://localhost${page}`).pathname);
      const imported = [...source.matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, name]) => name);
      const preloaded = [...text.matchAll(/<link rel="modulepreload" href="[^"]*\/([^"/]+)">/g)].map(
        ([, name]) => name,
      );

      expect(preloaded.sort()).toEqual(imported.sort());
      expect(preloaded.length).toBeGreaterThan(0);
    },
  );
});

describe('a file of the pages', () => {
  it.each(
    [...['login', 'account', 'security', 'billing', 'admin', 'activity', 'system', 'users'], 'recover'].map(
      (script) => `${script}-0A1B2C3D.js`,
    ),
  )(
    'called %s, the script of another build, is one that loads the page again, and is never kept',
    async (name) => {
      const { status, headers, text } = await app.browser().get(`/ui/assets/${name}`);

      expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining('location.reload()') });
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'no-store',
      });
    },
  );

  it('may be kept for good, because another content has another name', async () => {
    for (const address of await loadedBy('/ui/login')) {
      const { headers } = await app.browser().get(address);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'origin, accept-encoding',
        'x-content-type-options': 'nosniff',
      });
      expect(address).toMatch(/-\w{8}\.(js|css|svg|json)$/);
    }
  });

  it.each([
    ['gzip, br', true],
    ['br;q=0.1', true],
    ['gzip', false],
    ['br;q=0, gzip', false],
    ['br;q=0.000', false],
    ['brotli', false],
    ['', false],
  ])('to a browser that accepts "%s" is brotli: %s', async (accepted, isBrotli) => {
    const [script = ''] = (await loadedBy('/ui/login')).filter((address) => address.endsWith('.js'));
    const plain = await app.nest.inject({ url: script });
    const answer = await app.nest.inject({ url: script, headers: { 'accept-encoding': accepted } });

    expect(answer.headers['content-encoding']).toBe(isBrotli ? 'br' : undefined);
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const content = isBrotli ? brotliDecompressSync(answer.rawPayload) : answer.rawPayload;
    expect(content.equals(plain.rawPayload)).toBe(true);
  });

  it.each([
    'names.json',
    'ui.js',
    'ui-style-00000000.css',
    'other-00000000.js',
    'login-words-en-00000000.json',
    'login-words-en-00000000-00000000.json',
    'chunk-00000000.js',
    '..%2F..%2Fpackage.json',
    '__proto__',
    'constructor.js',
    'ui.js.br',
  ])('called %s is 404', async (name) => {
    expect((await app.browser().get(`/ui/assets/${name}`)).body.code).toBe('NotFound');
  });
});
