import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readStyle } from '../../src/pages/style-faults.js';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { CONSOLE } from './console.js';
import { takePageFaults } from './error-lines.js';
import { fitsEverywhere, opensWithoutMoving, watchShifts } from './layout.js';
import { inPage, isAccessible, looksRight, shoot } from './looks.js';
import { Stage } from './stage.js';

const LONG = 'Information on how we handle accessibility of this service';

const LINKS = [
  {
    url: 'https://example.com/{language}/imprint',
    words: { en: 'Imprint', 'ar-XB': 'بصمة', de: 'Impressum' },
    mails: true,
  },
  { url: 'https://example.com/accessibility', words: { en: `${LONG}!!` }, mails: true },
];

const CSS = `@font-face { font-family: "Acme"; src: url(acme.woff2) format("woff2"); }
:root { --sans: "Acme", Georgia, serif; --page: #faf3e6; --card: #fffdf8; --radius-control: 0; --radius-card: 0; }
@media (prefers-color-scheme: dark) { :root { --page: #1a140a; --card: #241c10; } }
html { background: var(--page) url(waves.svg) no-repeat bottom / 100% 6rem; }
`;

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20" preserveAspectRatio="none">
<script>document.documentElement.setAttribute('data-ran', '')</script>
<path d="M0 10 Q25 0 50 10 T100 10 V20 H0 Z" fill="#c8893a" fill-opacity="0.35" onload="document.documentElement.setAttribute('data-ran', '')"/></svg>`;

let folder: string;
let stage: Stage;
let root: { email: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-looks-'));
  await writeFile(join(folder, 'pages.css'), CSS);
  await writeFile(join(folder, 'acme.woff2'), Buffer.concat([Buffer.from('wOF2'), Buffer.alloc(64)]));
  await writeFile(join(folder, 'waves.svg'), PICTURE);
  stage = await Stage.inDev({
    SVC_LOCALES: 'en,ar-XB,de',
    SVC_MESSAGES_DIR: folder,
    SVC_FOOTER_LINKS: JSON.stringify(LINKS),
    SVC_SUPPORT_EMAIL: 'help@example.com',
    SVC_TERMS_URL: 'https://example.com/{language}/terms',
    SVC_PRODUCT_NAME: 'Acme',
  });
  root = await loggedInAs(stage.app, 'sys_admin');
});
afterAll(async () => {
  await stage.stop();
  await rm(folder, { recursive: true });
});

/** The links at the foot: where they lead, and how they are read. */
const AT_FOOT = `[...document.querySelectorAll('footer a')].map(({ textContent, href, lang, dir }) => [textContent, href, lang, dir].join(' '))`;

const PAINTED = `getComputedStyle(document.documentElement).getPropertyValue('--page') + ' ' + getComputedStyle(document.documentElement).backgroundImage.replace(/own-[0-9a-f]{8}/, 'own')`;

describe('with a style sheet and links of a product, wide and narrow, light and dark', () => {
  it('the page of the login looks right, and has them', async () => {
    const ada = await stage.visitor();
    const fonts: string[] = [];
    ada.page.on('response', (answer) => {
      if (answer.request().resourceType() === 'font') fonts.push(`${answer.status()} ${answer.url()}`);
    });
    await ada.open('/login');
    await ada.sees('No account yet?');
    await looksRight(ada, 'own-login');
    await isAccessible(ada, 'own-login');
    await ada.page.emulateMedia({ colorScheme: 'light' });

    expect(await inPage(ada.page, PAINTED)).toBe('#faf3e6 url("http://localhost:3000/ui/assets/own.svg")');
    expect(fonts).toEqual([
      expect.stringMatching(/^200 http:\/\/localhost:3000\/ui\/assets\/own-\w{8}\.woff2$/),
    ]);
    expect(await inPage(ada.page, AT_FOOT)).toEqual([
      'Terms https://example.com/en/terms  ',
      'Help mailto:help@example.com  ',
      'Imprint https://example.com/en/imprint  ',
      `${LONG}!! https://example.com/accessibility  `,
    ]);
  });

  it('the pages of an account, those of the console, and the one for missing pages look right', async () => {
    const ada = await stage.visitor();
    await ada.logIn(root.email);
    await looksRight(ada, 'own-account');
    for (const screen of ['', '/users', '/system']) {
      await ada.open(`${CONSOLE}${screen}`);
      await ada.hasLoaded();
      await isAccessible(ada, `own-console${screen.replace('/', '-')}`);
      await fitsEverywhere(ada.page, screen, [], [320, 390, 1280]);
      expect(await inPage(ada.page, AT_FOOT)).toHaveLength(2);
    }
    await looksRight(ada, 'own-console-system');
    ada.expectRefusal('404 /ui/no-such-page');
    await ada.open('/no-such-page');
    await looksRight(ada, 'own-missing');
    expect(await inPage(ada.page, AT_FOOT)).toHaveLength(2);
  });

  it('they look right from right to left, with links in words of either direction', async () => {
    const ada = await stage.visitor();
    await ada.logIn(root.email);
    for (const [address, name] of [
      [`${stage.home}/account`, 'own-rtl-account'],
      [CONSOLE, 'own-rtl-console'],
    ]) {
      await ada.open(`${address}?ui_locales=ar-XB`);
      await ada.hasLoaded();
      await looksRight(ada, name ?? '');
      expect(await inPage<string[]>(ada.page, AT_FOOT)).toContain(
        `${LONG}!! https://example.com/accessibility en auto`,
      );
    }
    ada.expectRefusal('404 /ui/no-such-page');
    await ada.open('/no-such-page?ui_locales=ar-XB');
    await looksRight(ada, 'own-rtl-missing');

    expect(await inPage(ada.page, AT_FOOT)).toEqual([
      'بصمة https://example.com/ar-XB/imprint  ',
      `${LONG}!! https://example.com/accessibility en auto`,
    ]);
  });

  it('nothing moves while a page loads', async () => {
    const ada = await stage.visitor();
    await ada.logIn(root.email);
    await watchShifts(ada.page.context());
    for (const address of [`${stage.home}/account`, `${stage.home}/security`, CONSOLE, `${CONSOLE}/users`])
      for (const width of [390, 1280]) await opensWithoutMoving(ada.page, address, width);
  });

  it.each(['en', 'ar-XB'])('a mail in %s has the links', async (language) => {
    const email = freshAddress();
    await stage.app
      .browser()
      .post('/auth/signup', { email, password: PASSWORD }, { 'accept-language': language });
    await stage.app.mailbox.last(email);
    const { html } = (await stage.app.browser().get(`/dev/mail.json?to=${email}`)).body.data[0];
    const ada = await stage.visitor();
    await ada.open('http://elsewhere.test/');
    await ada.page.setContent(html);
    for (const [width, colorScheme] of [
      [390, 'light'],
      [390, 'dark'],
      [1280, 'light'],
    ] as const) {
      await ada.page.setViewportSize({ width, height: 800 });
      await ada.page.emulateMedia({ colorScheme });
      await shoot(ada.page, `own-mail-${language}-${width}-${colorScheme}`);
      expect(await inPage(ada.page, 'document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });
});

describe('a picture of a product', () => {
  it('runs no script, where a browser opens it by itself', async () => {
    const ada = await stage.visitor();
    const { text } = await stage.app.browser().get('/ui/login');
    const [sheet = ''] = /own-\w{8}\.css/.exec(text) ?? [];
    const [picture = ''] =
      /own-\w{8}\.svg/.exec((await stage.app.browser().get(`/ui/assets/${sheet}`)).text) ?? [];
    await ada.open(`http://localhost:3000/ui/assets/${picture}`);

    expect(await inPage(ada.page, 'document.documentElement.localName')).toBe('svg');
    expect(await inPage(ada.page, `document.documentElement.hasAttribute('data-ran')`)).toBe(false);
    // The policy says that it refused them.
    expect(takePageFaults().join()).toContain('Content Security Policy');
  });
});

describe('a style sheet that loads from elsewhere', () => {
  const EVIL = 'http://elsewhere.test';

  it('gets nothing from there, even where the start had let it through: the policy refuses each way', async () => {
    const ada = await stage.visitor();
    const asked: string[] = [];
    await ada.page.context().route(`${EVIL}/**`, async (route) => {
      asked.push(route.request().url());
      await route.abort();
    });
    const ways = [
      `@import "${EVIL}/import.css";`,
      `@font-face { font-family: evil; src: url(${EVIL}/font.woff2); }`,
      `html { background: url(${EVIL}/background.svg); cursor: url(${EVIL}/cursor.svg), auto; }`,
      `body { background: image-set("${EVIL}/set.svg" 1x); font-family: evil; }`,
      `input[type="password"] { background: u\\72l(${EVIL}/escaped.svg); }`,
      `h1 { mask: url(${EVIL}/mask.svg); list-style: url(${EVIL}/list.svg); display: list-item; }`,
      `main { filter: url(${EVIL}/filter.svg#f); clip-path: url(${EVIL}/clip.svg#c); }`,
      `button::before { content: url(${EVIL}/content.svg); }`,
    ];
    const body = ways.join('\n');
    await ada.page.route('**/own-*.css', (route) => route.fulfill({ contentType: 'text/css', body }));
    await ada.open('/login');
    await ada.sees('No account yet?');
    await ada.page.waitForLoadState('networkidle');

    const refused = takePageFaults().flatMap((fault) => /elsewhere\.test\/(\w+)\./.exec(fault)?.[1] ?? []);
    expect(refused).toEqual(
      expect.arrayContaining(['import', 'font', 'background', 'set', 'escaped', 'mask', 'list', 'content']),
    );
    expect(asked).toEqual([]);
  });

  it('is not let through at the start, however it is written', async () => {
    const { page } = await stage.visitor();
    const asked: string[] = [];
    await page.context().route('**', async (route) => {
      const { href, pathname } = new URL(route.request().url());
      if (pathname === '/') return route.fallback();
      asked.push(href);
      return route.abort();
    });
    // A page without a policy. What a shadow root holds styles nothing beside it.
    await page.goto(`${EVIL}/`);
    const sheets = fc
      .sample(SHEET, { numRuns: 6_000, seed: 20_261_127 })
      .map((css, index) => css.replaceAll('N', String(index)));
    const read = sheets.map((css) => ({ css, ...readStyle(css) }));
    const taken = read.filter(({ faults }) => faults.length === 0);
    for (let start = 0; start < taken.length; start += 200) {
      const some = JSON.stringify(taken.slice(start, start + 200).map(({ css }) => css));
      await inPage(
        page,
        `for (const css of ${some}) {
          const shadow = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
          shadow.append(Object.assign(document.createElement('style'), { textContent: css }), document.createElement('b'));
        }
        new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`,
      );
    }
    await page.waitForLoadState('networkidle');

    const named = new Set(taken.flatMap(({ files }) => files.map(({ name }) => `${EVIL}/${name}`)));
    expect(asked.filter((address) => !named.has(address))).toEqual([]);
    // It is no proof if nothing loads at all, or nothing is refused.
    expect(asked.length).toBeGreaterThan(100);
    expect(read.length - taken.length).toBeGreaterThan(1_000);
  });
});

/** What an address may hide in, or behind. */
const PIECES =
  'url( URL( u\\72l( \\75rl( " \' \\ /* */ ( ) { } [ ] ; : , ! # @ - -- + . 1 1e3 % u+ <!-- --> \u2000 \u00b7 \ufeff é a b src( image-set( image( var(--x) --x: @import @\\69mport @font-face{ b{ background: content: cursor: aN.svg "aN.svg" url(aN.svg) //evil.test/N "//evil.test/N" url(//evil.test/N) \\2f\\2f red 0 element( \\0 \\d800'
    .split(' ')
    .concat(' ', '\n', '\t', '\\\n', '\\75 rl(', '@media all{');

const BEGINNINGS = [
  'b{background:url(aN.svg)}',
  'b{background:url("aN.svg") no-repeat}',
  'b{--x:url(aN.svg);background:var(--x)}',
  '/* x */b{content:"y";background:url(aN.svg)}',
  'b{background:url(aN.svg)}/* "url(//evil.test/N)" */',
  'b{content:"url(//evil.test/N)"}b{cursor:url(aN.svg),auto}',
  'b{background:url(//evil.test/N)}',
  'b{--x:"//evil.test/N";background:image-set(var(--x) 1x)}',
  '/*url(aN.svg)*/b{background:u\\72l(//evil.test/N)}/*"*/',
  '@import "//evil.test/N";',
];

/** A style sheet into which pieces were put anywhere. */
const SHEET = fc
  .record({
    begun: fc.constantFrom(...BEGINNINGS),
    changes: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        piece: fc.constantFrom(...PIECES),
        lost: fc.nat(3),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ begun, changes }) =>
    changes.reduce((css, { at, piece, lost }) => {
      const place = Math.floor(at * css.length);
      return css.slice(0, place) + piece + css.slice(place + (lost > 1 ? 0 : lost));
    }, begun),
  );
