import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkMessages } from '../../src/cli/messages.js';
import { OwnStyle } from '../../src/pages/own-style.js';
import { readOwnFolder } from '../../src/start/own-folder.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

const FONT = Buffer.concat([Buffer.from('wOF2'), Buffer.alloc(400, 7)]);
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

let folder: string;
beforeEach(async () => {
  folder = await folderWith({ 'a.woff2': FONT, 'a.svg': PICTURE });
});
afterEach(() => rm(folder, { recursive: true }));

async function folderWith(files: Record<string, string | Buffer>): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'latchkey-style-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(made, name), content);
  return made;
}

/** What the start is refused with. */
async function refusal(css: string | Buffer | null): Promise<string> {
  if (css !== null) await writeFile(join(folder, 'pages.css'), css);
  return OwnStyle.read({ messagesDir: folder }).then(
    () => 'it starts',
    (error: Error) => error.message,
  );
}

describe('a style sheet of a product', () => {
  const CSS = `@font-face { font-family: "Acme"; src: url( 'a.woff2' ) format("woff2"); }\r
:root { --sans: "Acme", sans-serif; }
html { background: URL(a.svg), u\\72l( "a.svg" ) }
`;

  let database: TestDatabase;
  let app: TestApp;
  let own: string;
  beforeAll(async () => {
    database = await TestDatabase.create();
    own = await folderWith({ 'pages.css': CSS, 'a.woff2': FONT, 'a.svg': PICTURE, 'secret.svg': PICTURE });
    app = await TestApp.start({ SVC_MESSAGES_DIR: own, SVC_PRODUCT_COLOR: '#00aa55' }, { database });
  });
  afterAll(async () => {
    await app.close();
    await rm(own, { recursive: true });
  });

  const sheetsOf = (text: string) =>
    [...text.matchAll(/<link rel="stylesheet" href="[^"]*\/([^"/]+)">/g)].map(([, name]) => name ?? '');
  const nameIn = async (page: string) => sheetsOf((await app.browser().get(page)).text).at(-1) ?? '';

  it.each(['/ui/login', '/ui/account', '/admin', '/admin/users', '/ui/no-such-page'])(
    'is the last one of %s',
    async (page) => {
      const { payload } = await app.nest.inject({ url: page, headers: { accept: 'text/html' } });

      expect(sheetsOf(payload).map((name) => name.replace(/-\w{8}\./, '.'))).toEqual([
        expect.stringMatching(/^(ui|admin)-style\.css$/),
        'theme.css',
        'own.css',
      ]);
    },
  );

  it('names its files by their contents, and browsers keep all of them for good', async () => {
    const name = await nameIn('/ui/login');
    const { text, headers } = await app.browser().get(`/ui/assets/${name}`);
    const named = [...text.matchAll(/url\("([^"]+)"\)/g)].map(([, file]) => file ?? '');

    expect(text).toBe(
      `@font-face { font-family: "Acme"; src: url("${named[0]}") format("woff2"); }\n:root { --sans: "Acme", sans-serif; }\nhtml { background: url("${named[1]}"), url("${named[1]}") }\n`,
    );
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    for (const [file, type] of [
      [name, 'text/css; charset=utf-8'],
      [named[0], 'font/woff2'],
      [named[1], 'image/svg+xml'],
    ]) {
      const answer = await app.nest.inject({
        url: `/ui/assets/${file}`,
        headers: { 'accept-encoding': 'br' },
      });
      expect(answer.headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(answer.headers['content-encoding']).toBe(type === 'font/woff2' ? undefined : 'br');
      if (file === named[0]) expect(answer.rawPayload.equals(FONT)).toBe(true);
      if (file === named[1]) expect(String(brotliDecompressSync(answer.rawPayload))).toBe(PICTURE);
    }
  });

  it('of another replica is this one, which nobody keeps', async () => {
    const name = await nameIn('/ui/login');
    const { text, headers } = await app.browser().get('/ui/assets/own-00000000.css');

    expect(text).toBe((await app.browser().get(`/ui/assets/${name}`)).text);
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each(['own-00000000.svg', 'own-00000000.woff2', 'pages.css', 'a.svg', 'secret.svg', 'own-0.css'])(
    'makes nothing else of the folder a file of the pages: %s',
    async (name) => {
      expect((await app.browser().get(`/ui/assets/${name}`)).body.code).toBe('NotFound');
    },
  );

  it('lets the pages load fonts of the service, and only where it names one', async () => {
    const policyOf = async (service: TestApp, url: string) => {
      const { headers } = await service.nest.inject({ url, headers: { accept: 'text/html' } });
      return String(headers['content-security-policy']);
    };
    await writeFile(join(folder, 'pages.css'), 'html { background: url(a.svg) }');
    const other = await TestApp.start({ SVC_MESSAGES_DIR: folder }, { database });
    const [own, without, missing] = [
      await policyOf(app, '/ui/login'),
      await policyOf(other, '/ui/login'),
      await policyOf(app, '/ui/no-such-page'),
    ];
    await other.nest.close();

    expect(own).toContain("; font-src 'self';");
    expect(missing).toBe(own);
    expect(without).toBe(own.replace(" font-src 'self';", ''));
  });

  it('is none where the folder has none', async () => {
    expect(await OwnStyle.read({ messagesDir: folder })).toBeNull();
    expect(await OwnStyle.read({})).toBeNull();
  });
});

describe('a style sheet may have', () => {
  it.each([
    ['nothing', ''],
    ['comments, also with an address', '/* url(https://evil.example) @import "x"; */ a { color: red }'],
    ['strings with an address', 'a::after { content: "url(https://evil.example)" }'],
    ['strings over two lines', 'a::after { content: "one\\\ntwo" }'],
    ['quotation marks in strings', `a::after { content: "\\"" '\\'' }`],
    ['letters of any script', 'a::after { content: "→ 日本語 😀"; font-family: Zürich }'],
    ['a name that only ends so', 'a { --url: curl(x); width: calc(1px + var(--my-src)) }'],
    ['ranges of letters', '@font-face { src: local("A"), url(a.woff2); unicode-range: U+0025-00FF, u+4?? }'],
    [
      'conditions, layers and animations',
      '@charset "utf-8"; @layer a; @media (width > 30rem) { @supports (display: grid) { .a:is(.b, #c1) > d[e="f"] { inset: -1px +.5em 1e3px 2% } } } @keyframes k { from { opacity: 0 } } @container (width > 1px) { a { color: #fff } }',
    ],
    ['an important value with a minus', 'a { margin: -0.5rem -1px !important; --x: --y }'],
  ])('%s', async (_, css) => {
    expect(await refusal(css)).toBe('it starts');
  });
});

describe('the start is refused for', () => {
  it.each<[string, string | Buffer, RegExp]>([
    [
      'an address elsewhere',
      'a {}\nb { background: url(https://evil.example/x.svg) }',
      /pages\.css, line 2: url\(https:/,
    ],
    ['one in quotation marks', 'b { background: url("https://evil.example/x.svg") }', /line 1: url\(/],
    ['one in capitals', 'b { background: URL(//evil.example/x.svg) }', /line 1: url\(/],
    ['one whose name is escaped', 'b { background: \\75rl(//evil.example/x.svg) }', /line 1: url\(/],
    [
      'one with a blank after its escape',
      'b { background: u\\000072 l(//evil.example/x.svg) }',
      /line 1: url\(/,
    ],
    ['one with an escaped letter', 'b { background: \\u\\r\\l("//evil.example/x.svg") }', /line 1: url\(/],
    ['one over several lines', 'b { background: url(\n\n  "//evil.example/x.svg"\n) }', /line 1: url\(/],
    ['an escape in an address', 'b { background: url(\\2f\\2f evil.example) }', /line 1/],
    ['an escape in a string', 'b { background: url("\\2f\\2f evil.example/x.svg") }', /line 1: url\(/],
    [
      'an address behind a comment that ends early',
      'b { /* a */ background: url(//e.example/*/) }',
      /line 1: url\(/,
    ],
    [
      'one behind a string that a line ends',
      'b { content: "a\n; background: url(//e.example) }',
      /line 1: .*string/,
    ],
    ['one in a variable', ':root { --x: url(//evil.example) }', /line 1: url\(/],
    ['one of the parent folder', 'b { background: url(../a.svg) }', /line 1: url\(\.\.\/a\.svg\)/],
    ['one of a folder within', 'b { background: url(x/a.svg) }', /line 1: url\(x\/a\.svg\)/],
    ['one of the API', 'b { background: url(/auth/logout) }', /line 1: url\(/],
    ['one with a query', 'b { background: url(a.svg?x) }', /line 1: url\(/],
    ['data', 'b { background: url(data:image/svg+xml,<svg/>) }', /line 1: url\(data:/],
    ['a hidden file', 'b { background: url(.a.svg) }', /line 1: url\(/],
    ['a file of another kind', 'b { background: url(a.png) }', /line 1: url\(a\.png\)/],
    [
      'the variable of an address',
      'b { background: url(var(--x)) }',
      /line 1: browsers cannot read it: .*url/,
    ],
    ['an address with a word behind', 'b { background: url("a.svg" x) }', /line 1: url\( holds more/],
    ['an address with nothing behind', 'b { background: url("a.svg"', /line 1: url\( holds more/],
    ['an address that never ends', 'b { background: url(a.svg', /line 1: browsers cannot read it: .*url/],
    ['a set of pictures', 'b { background: image-set("//evil.example/x.svg" 1x) }', /line 1: image-set\(/],
    [
      'one with a prefix',
      'b { background: -webkit-image-set(url(a.svg) 1x) }',
      /line 1: -webkit-image-set\(/,
    ],
    [
      'one from a variable',
      ':root { --x: "//e.example" } b { background: image-set(var(--x) 1x) }',
      /image-set\(/,
    ],
    ['a source', '@font-face { src: src("//evil.example/x.woff2") }', /line 1: src\(/],
    ['an image by name', 'b { background: image("//evil.example/x.svg") }', /line 1: image\(/],
    [
      'a filter of an image',
      'b { background: filter("//evil.example/x.svg", blur(1px)) }',
      /line 1: filter\(/,
    ],
    ['an import', '@import "a.css";', /line 1: @import/],
    ['one of an address', '@import url(//evil.example);', /line 1: @import/],
    ['one with escapes', '@\\69mport "//evil.example";', /line 1: @import/],
    ['one in capitals and escapes', '@IM\\50 ORT "//evil.example";', /line 1: @import/],
    ['one behind a comment of HTML', '<!--@import "//evil.example";-->', /line 1: it has a comment of HTML/],
    ['a namespace', '@namespace url(//evil.example);', /line 1: @namespace/],
    ['a rule for documents', '@document url(//evil.example) { a {} }', /line 1: @document/],
    ['a rule that nobody knows', '@new-import "//evil.example";', /line 1: @new-import/],
    ['a comment that never ends', 'a {} /* b', /line 1: browsers cannot read it: .*comment/],
    ['a string that never ends', 'a { content: "b }', /line 1: browsers cannot read it: .*string/],
    [
      'a backslash at the end of a line',
      'a { color: \\\nred }',
      /line 1: browsers cannot read it: Invalid escape/,
    ],
    ['a block that never ends', 'a { color: red', /line 1: \{ is never closed/],
    ['brackets that do not match', 'a { color: rgb(1 2 3 }', /line 1: \} ends nothing/],
    ['control characters', 'a { color: red\0 }', /pages\.css is no text in UTF-8/],
    ['letters of another encoding', Buffer.from('a { content: "\xe9" }', 'latin1'), /no text in UTF-8/],
    ['UTF-16', Buffer.from('\ufeffa { color: red }', 'utf16le'), /no text in UTF-8/],
    ['more than 64 KiB', ' '.repeat(65_537), /pages\.css is larger than 65536 bytes/],
    ['a file that is not there', 'b { background: url(b.svg) }', /b\.svg is not there/],
    [
      'more than ten files',
      Array.from({ length: 11 }, (_, index) => `a { background: url(${index}.svg) }`).join(),
      /names 11 files/,
    ],
  ])('%s', async (_, css, fault) => {
    const message = await refusal(css);

    expect(message).toMatch(fault);
    expect(message).toMatch(/^STYLE_FAULTY: /);
  });

  it('several faults at once, but not thousands of one file', async () => {
    const message = await refusal(`@import "x";\nb { background: url(//e.example), url(b.svg) }`);
    for (const part of ['line 1: @import', 'line 2: url(//e.example)', 'b.svg is not there'])
      expect(message).toContain(part);

    expect((await refusal('"\n'.repeat(30_000))).split('\n').length).toBeLessThan(30);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['is larger than 200 kB', Buffer.concat([FONT, Buffer.alloc(200_000)]), /b\.woff2 is larger than 200000/],
    ['is no font', PICTURE, /b\.woff2 is no file of its kind/],
  ])('a font that %s', async (_, content, fault) => {
    await writeFile(join(folder, 'b.woff2'), content);

    expect(await refusal('@font-face { src: url(b.woff2) }')).toMatch(fault);
  });

  it('a picture that is none, and one that is a folder', async () => {
    await writeFile(join(folder, 'b.svg'), FONT);
    await mkdir(join(folder, 'c.svg'));
    const message = await refusal('a { background: url(b.svg), url(c.svg) }');

    expect(message).toContain('b.svg is no file of its kind');
    expect(message).toContain('c.svg is no file');
  });

  it('a file that is a link out of the folder, and takes one within, as volumes of Kubernetes have it', async () => {
    const elsewhere = await folderWith({ 'b.svg': PICTURE });
    await symlink(join(elsewhere, 'b.svg'), join(folder, 'b.svg'));
    await symlink(join(folder, 'a.svg'), join(folder, 'c.svg'));

    expect(await refusal('a { background: url(b.svg) }')).toContain(
      'b.svg is a link out of SVC_MESSAGES_DIR',
    );
    expect(await refusal('a { background: url(c.svg) }')).toBe('it starts');
    await rm(elsewhere, { recursive: true });
  });
});

describe('what reads the whole folder', () => {
  const settings = () => ({ environment: 'prod', messagesDir: folder, footerLinks: [] });

  it('names the faults of texts, mails and style sheet together', async () => {
    await mkdir(join(folder, 'words'));
    await mkdir(join(folder, 'mail'));
    await writeFile(join(folder, 'words/en.json'), '{ "words": { "login.title": "{" } }');
    await writeFile(join(folder, 'mail/layout.txt'), '{{subject}}');
    await writeFile(join(folder, 'pages.css'), '@import "x";');

    await expect(readOwnFolder(settings())).rejects.toThrow(
      /^MESSAGE_FAULTY: words\/en\.json, login\.title[\s\S]*\nMAIL_TEMPLATE_FAULTY: [\s\S]*\nSTYLE_FAULTY: pages\.css, line 1: @import/,
    );
    await expect(checkMessages(folder)).rejects.toThrow(/STYLE_FAULTY: pages\.css, line 1: @import/);
  });

  it('refuses a style sheet that others can write', async () => {
    await writeFile(join(folder, 'pages.css'), 'a {}');
    await expect(readOwnFolder(settings())).resolves.toBeDefined();
    await chmod(join(folder, 'pages.css'), 0o664);

    await expect(readOwnFolder(settings())).rejects.toThrow(/MESSAGES_WRITABLE: .*pages\.css can be written/);
  });
});

describe('the style sheet and the links in docs/pages.md', () => {
  it('start as they stand there, with a font and a picture', async () => {
    const document = await readFile('docs/pages.md', 'utf8');
    const [, css = ''] = /## A style sheet of your own[\s\S]*?```css\n([\s\S]+?)```/.exec(document) ?? [];
    const [, links = ''] = /## Links of your own[\s\S]*?```json\n([\s\S]+?)```/.exec(document) ?? [];
    await writeFile(join(folder, 'pages.css'), css);
    await writeFile(join(folder, 'acme-sans.woff2'), FONT);
    await writeFile(join(folder, 'waves.svg'), PICTURE);

    const app = await TestApp.start({
      SVC_LOCALES: 'en,de',
      SVC_MESSAGES_DIR: folder,
      SVC_FOOTER_LINKS: links,
    });
    const { text, headers } = await app.browser().get('/ui/login?ui_locales=de');
    const [sheet = ''] = /own-\w{8}\.css/.exec(text) ?? [];
    const { text: served } = await app.browser().get(`/ui/assets/${sheet}`);
    await app.close();

    expect(text).toContain('https://example.com/de/imprint');
    expect(headers['content-security-policy']).toContain("font-src 'self'");
    expect(served).toContain('--radius-control: 2px;');
    expect(served).toMatch(/src: url\("own-\w{8}\.woff2"\) format\("woff2"\)/);
  });
});
