import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnFrame } from '../../src/mail/own-frame.js';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { Page } from './page.js';

const HTML = `<!doctype html>
<html lang="{{language}}" dir="{{direction}}">
<head><title>{{subject}}</title><style>.card { padding: 8px; }</style></head>
<body style="background-color:#fff">
<h1>{{subject}}</h1>
{{#paragraphs}}<p class="own">{{paragraph}}</p>{{/paragraphs}}
{{#action}}<p><a href="{{action.link}}" style="color:{{onColor}};background-color:{{color}}">{{action.label}}</a></p>
<p>{{copyLink}} {{action.link}}</p>{{/action}}
{{#code}}<p>{{code.label}}</p><p dir="ltr">{{code.code}}</p><p>{{code.warning}}</p>{{/code}}
{{#aside}}<p><a href="{{aside.link}}">{{aside.label}}</a></p>{{/aside}}
{{#footnote}}<p>{{footnote}}</p>{{/footnote}}
<hr>
<p>{{product}}{{#contact}} · {{contact}}{{/contact}} · <a href="https://acme.example/imprint">Imprint</a></p>
</body>
</html>
`;

const TEXT = `{{#paragraphs}}
{{paragraph}}
{{/paragraphs}}
{{#action}}
{{action.label}}:
{{action.link}}
{{/action}}
{{#code}}
{{code.label}}
{{code.code}}
{{code.warning}}
{{/code}}
{{#aside}}
{{aside.label}}:
{{aside.link}}
{{/aside}}
{{#footnote}}
{{footnote}}
{{/footnote}}
{{product}} of Acme, Zurich
`;

let folder: string;
let app: TestApp | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-frame-'));
  await mkdir(join(folder, 'mail'));
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(() => app?.close());

async function write({ html = HTML, text = TEXT }: { html?: string | null; text?: string | null } = {}) {
  if (html !== null) await writeFile(join(folder, 'mail/layout.html'), html);
  if (text !== null) await writeFile(join(folder, 'mail/layout.txt'), text);
}

const refusal = () =>
  OwnFrame.read({ messagesDir: folder }).then(
    () => 'it starts',
    (error: Error) => error.message,
  );

const changed = (one: string, other: string) => {
  expect(HTML).toContain(one);
  return HTML.replace(one, other);
};

describe('a frame of a product', () => {
  it('holds every mail, with its links and its words', async () => {
    await write();
    app = await TestApp.start({
      SVC_LOCALES: 'en,ar-XB',
      SVC_MESSAGES_DIR: folder,
      SVC_PRODUCT_COLOR: '#aa0000',
    });
    const email = freshAddress();
    await app.browser().post('/auth/signup', { email, password: PASSWORD }, { 'accept-language': 'ar-XB' });
    const { text } = await app.mailbox.last(email);
    const mail = (await app.browser().get(`/dev/mail.json?to=${email}`)).body.data[0];
    const page = new Page(mail.html);

    expect(page.faults).toEqual([]);
    expect(page.elements('html')[0]?.attributes).toMatchObject({ lang: 'ar-XB', dir: 'rtl' });
    expect(page.elements('p').filter(({ attributes }) => attributes.class === 'own').length).toBeGreaterThan(
      0,
    );
    expect(mail.html).toContain('background-color:#aa0000');
    const [link] = page.elements('a').map(({ attributes }) => attributes.href);
    expect(link).toMatch(/verify-email\?token=[\w-]+&ui_locales=ar-XB$/);
    expect(text.split('\n')).toContain(link);
    expect(text).toContain('of Acme, Zurich');
    expect(text + mail.html).not.toMatch(/\{\{|\}\}|undefined|\n\n\n/);
    const { status } = await app.browser().post('/auth/verify-email', {
      token: new URL(String(link)).searchParams.get('token'),
      new_password: `${PASSWORD} once more`,
    });
    expect(status).toBe(200);
  });

  it('never reads a value as a frame, or as markup', async () => {
    await write();
    const frame = (await OwnFrame.read({ messagesDir: folder })) as OwnFrame;
    const message = {
      subject: 'A subject',
      paragraphs: ['{{action.link}} <b>bold</b> {{#aside}}', '"quoted" & more'],
      action: { label: '{{subject}}', link: 'https://app.example.com/a?b=1&c=2' },
    };
    const language = { tag: 'en', direction: 'ltr' as const };
    const sender = { name: 'Acme', contact: null, links: [], copyLink: 'Copy:', color: '#123456', language };
    const page = new Page(frame.asHtml(message, sender));

    expect(page.faults).toEqual([]);
    expect(page.elements('b')).toEqual([]);
    expect(page.elements('p')[0]?.text).toBe('{{action.link}} <b>bold</b> {{#aside}}');
    expect(page.elements('a')[0]?.attributes.href).toBe('https://app.example.com/a?b=1&c=2');
    expect(frame.asText(message, sender)).toContain('{{action.link}} <b>bold</b> {{#aside}}');
  });

  it('has no markup in its title, nor in an attribute', async () => {
    await write({ html: changed('<hr>', '<img src="https://acme.example/logo.png" alt="{{product}}">') });
    const frame = (await OwnFrame.read({ messagesDir: folder })) as OwnFrame;
    const language = { tag: 'en', direction: 'ltr' as const };
    const sender = {
      name: '\u05d0\u05d1',
      contact: null,
      links: [],
      copyLink: 'Copy:',
      color: '#123456',
      language,
    };
    const page = new Page(frame.asHtml({ subject: 'Of \u2068\u05d0\u05d1\u2069', paragraphs: [] }, sender));

    expect(page.elements('title')[0]?.text).toBe('Of \u2068\u05d0\u05d1\u2069');
    expect(page.elements('img')[0]?.attributes.alt).toBe('\u2068\u05d0\u05d1\u2069');
    expect(page.elements('bdi').map(({ text }) => text)).toContain('\u05d0\u05d1');
  });

  it('is none where the folder has no mail', async () => {
    expect(await OwnFrame.read({ messagesDir: folder })).toBeNull();
    expect(await OwnFrame.read({})).toBeNull();
  });

  it('with an image from elsewhere is warned of', async () => {
    await write({ html: changed('<hr>', '<img src="https://acme.example/logo.png" alt="{{product}}">') });
    const frame = await OwnFrame.read({ messagesDir: folder });

    expect(frame?.warnings).toMatchObject([
      { code: 'MAIL_LOADS_REMOTE', text: expect.stringContaining('https://acme.example/logo.png') },
    ]);
  });
});

describe('the links of SVC_FOOTER_LINKS', () => {
  const HTML_LINKS = '{{#links}}<p><a href="{{link.url}}">{{link.label}}</a></p>{{/links}}';
  const TEXT_LINKS = '{{#links}}\n{{link.label}}:\n{{link.url}}\n{{/links}}\n';
  const footerLinks = [{ url: 'https://acme.example/{language}', words: { en: 'Imprint' }, mails: true }];
  const reading = () =>
    OwnFrame.read({ messagesDir: folder, footerLinks }).then(
      () => 'it starts',
      (error: Error) => error.message,
    );

  it('stand in a frame once each', async () => {
    await write({ html: changed('<hr>', HTML_LINKS), text: TEXT + TEXT_LINKS });
    const frame = (await OwnFrame.read({ messagesDir: folder, footerLinks })) as OwnFrame;
    const language = { tag: 'en', direction: 'ltr' as const };
    const links = [
      { label: 'Imprint & <more>', url: 'https://acme.example/en?a=1&b=2' },
      { label: '\u05d0\u05d1', url: 'mailto:legal@acme.example', tag: 'he' },
    ];
    const sender = { name: 'Acme', contact: null, links, copyLink: 'Copy:', color: '#123456', language };
    const message = { subject: 'A subject', paragraphs: ['A paragraph'] };
    const page = new Page(frame.asHtml(message, sender));

    expect(page.faults).toEqual([]);
    expect(page.elements('a').map(({ text, attributes }) => [text, attributes.href])).toEqual([
      ['Imprint & <more>', 'https://acme.example/en?a=1&b=2'],
      ['\u05d0\u05d1', 'mailto:legal@acme.example'],
      ['Imprint', 'https://acme.example/imprint'],
    ]);
    expect(frame.asText(message, sender)).toMatch(
      /\nImprint & <more>:\nhttps:\/\/acme\.example\/en\?a=1&b=2\n\n\u2068\u05d0\u05d1\u2069:\nmailto:legal@acme\.example$/,
    );
    expect(frame.asHtml(message, { ...sender, links: [] })).not.toContain('mailto:');
  });

  it('are missed in a frame without them only where some are for mails', async () => {
    await write();
    expect(await refusal()).toBe('it starts');
    const message = await reading();

    for (const file of ['layout.html', 'layout.txt'])
      for (const slot of ['{{link.label}}', '{{link.url}}'])
        expect(message).toContain(
          `mail/${file}, ${slot} is missing: write the links of SVC_FOOTER_LINKS between`,
        );
  });

  it.each<[string, { html?: string; text?: string }, RegExp]>([
    [
      'a link that is no href',
      { html: HTML_LINKS.replace('{{link.url}}', 'https://acme.example') },
      /\{\{link\.url\}\} is/,
    ],
    [
      'a link without its words',
      { html: HTML_LINKS.replace('{{link.label}}', 'Imprint') },
      /\{\{link\.label\}\} is missing/,
    ],
    ['words beside a link in the text', { text: TEXT_LINKS.replace(':\n', ': ') }, /stands not alone/],
    [
      'a link outside of its block',
      { html: '<a href="{{link.url}}">x</a>' },
      /put it between \{\{#links\}\}/,
    ],
  ])('may not have %s', async (_, { html = HTML_LINKS, text = TEXT_LINKS }, fault) => {
    await write({ html: changed('<hr>', html), text: TEXT + text });

    expect(await refusal()).toMatch(fault);
  });
});

describe('the start is refused for', () => {
  it.each<[string, { html?: string | null; text?: string | null }, RegExp]>([
    ['HTML without text', { text: null }, /layout\.txt is missing/],
    ['text without HTML', { html: null }, /layout\.html is missing/],
    ['a lost link', { html: HTML.replaceAll('{{action.link}}', '') }, /\{\{action\.link\}\} is missing/],
    [
      'a link that is no href',
      { html: changed('href="{{action.link}}"', 'href="https://acme.example"') },
      /is the href of no link/,
    ],
    [
      'a lost aside',
      { html: changed('{{#aside}}<p><a href="{{aside.link}}">{{aside.label}}</a></p>{{/aside}}', '') },
      /\{\{aside\.link\}\} is/,
    ],
    [
      'a lost code',
      { html: HTML.replace(/\{\{#code\}\}.*\{\{\/code\}\}/, '') },
      /\{\{code\.code\}\} is missing/,
    ],
    [
      'lost paragraphs',
      { text: TEXT.replace(/\{\{#paragraphs[\s\S]*paragraphs\}\}/, '') },
      /\{\{paragraph\}\} is missing/,
    ],
    [
      'a link beside words in the text',
      { text: TEXT.replace('{{action.link}}', 'Here: {{action.link}}') },
      /line 6: .* stands not alone/,
    ],
    [
      'an unknown slot',
      { html: changed('<hr>', '{{user.name}}') },
      /line 12: \{\{user\.name\}\} means nothing here/,
    ],
    [
      'a slot of a block outside of it',
      { html: changed('<hr>', '{{code.code}}') },
      /put it between \{\{#code\}\}/,
    ],
    ['an unknown block', { html: changed('<hr>', '{{#each}}x{{/each}}') }, /there is no \{\{#each\}\}/],
    [
      'a block within another',
      { html: changed('{{paragraph}}', '{{#aside}}{{paragraph}}{{/aside}}') },
      /stands within/,
    ],
    ['a block that is never closed', { text: `${TEXT}{{#contact}}` }, /never closed/],
    ['an end without a beginning', { text: `${TEXT}{{/contact}}` }, /closes nothing/],
    ['three braces', { html: changed('<hr>', '{{{subject}}}') }, /line 12/],
    ['logic', { html: changed('<hr>', '{{#if user}}') }, /no slot/],
    ['a script', { html: changed('<hr>', '<script>1</script>') }, /line 12: <script> may not/],
    ['a form', { html: changed('<hr>', '<form></form>') }, /<form> may not/],
    ['a frame', { html: changed('<hr>', '<iframe></iframe>') }, /<iframe> may not/],
    ['a base', { html: changed('<title>', '<base href="https://evil.example"><title>') }, /<base> may not/],
    [
      'a refresh',
      { html: changed('<title>', '<meta http-equiv="refresh" content="0"><title>') },
      /http-equiv/,
    ],
    ['an event handler', { html: changed('<hr>', '<hr onclick="x()">') }, /onclick/],
    [
      'a javascript address',
      { html: changed('href="https://acme.example/imprint"', 'href="javascript:x()"') },
      /no https: or mailto:/,
    ],
    [
      'a slot within an address',
      { html: changed('href="https://acme.example/imprint"', 'href="https://acme.example/{{language}}"') },
      /may not stand in href/,
    ],
    [
      'a slot in a style sheet',
      { html: changed('padding: 8px', 'padding: 8px} {{subject}} {') },
      /slot|style/,
    ],
    [
      'a style that loads something',
      { html: changed('background-color:#fff', 'background:url(https://evil.example)') },
      /loads nothing/,
    ],
    [
      'a style sheet that loads something',
      { html: changed('padding: 8px', 'background: url(x)') },
      /loads nothing/,
    ],
    ['a style sheet that imports', { html: changed('.card', '@import "x"; .card') }, /loads nothing/],
    [
      'a style with a backslash',
      { html: changed('background-color:#fff', 'background:u\\72l(x)') },
      /backslash/,
    ],
    ['a slot in a comment', { html: changed('<hr>', '<!-- {{subject}} -->') }, /comment/],
    [
      'an image over http',
      { html: changed('<hr>', '<img src="http://acme.example/x.png">') },
      /no https: address/,
    ],
    ['HTML that is not sound', { html: changed('<hr>', '<div><span></div>') }, /<span> is never closed/],
    [
      'a slot in the name of an attribute',
      { html: changed('class="own"', 'aria-{{paragraph}}="x"') },
      /aria-/,
    ],
    [
      'a slot without quotation marks',
      { html: changed('href="{{aside.link}}"', 'href={{aside.link}}') },
      /line 10: \{\{aside\.link\}\} stands without quotation marks/,
    ],
    [
      'a link on what is none',
      {
        html: changed(
          '<a href="{{aside.link}}">{{aside.label}}</a>',
          '<span href="{{aside.link}}">{{aside.label}}</span>',
        ),
      },
      /leads nowhere on <span>/,
    ],
    [
      'a link that is hidden',
      {
        html: changed('<p><a href="{{aside.link}}">', '<p style="Display : none"><a href="{{aside.link}}">'),
      },
      /\{\{aside\.link\}\} is the href of no link/,
    ],
    [
      'a code that only the title has',
      { html: changed('{{code.code}}', '').replace('</title>', '{{#code}}{{code.code}}{{/code}}</title>') },
      /\{\{code\.code\}\} stands only where nobody reads it/,
    ],
    [
      'a comment that only a block ends',
      { html: changed('<hr>', '<!-- {{#contact}}-->{{/contact}}') },
      /without \{\{#contact\}\}/,
    ],
    [
      'an element that only a block ends',
      { html: changed('<hr>', '<div>{{#footnote}}</div>{{/footnote}}') },
      /<div> is never closed, in a mail without \{\{#footnote\}\}/,
    ],
    ['more than 64 KiB', { html: changed('<hr>', 'x'.repeat(70_000)) }, /larger than/],
  ])('%s', async (_, files, fault) => {
    await write(files);
    const message = await refusal();

    expect(message).toMatch(fault);
    expect(message).toContain('MAIL_TEMPLATE_FAULTY');
  });

  it('several faults at once', async () => {
    await write({ html: changed('<hr>', '<script></script><form></form>'), text: `${TEXT}{{user}}` });
    const message = await refusal();

    for (const part of ['<script>', '<form>', '{{user}}', 'layout.html, line', 'layout.txt, line'])
      expect(message).toContain(part);
  });
});

describe('the frame in docs/words.md', () => {
  it('starts as it stands there', async () => {
    const document = await readFile('docs/words.md', 'utf8');
    const example = document.slice(document.indexOf('## A frame of your own'));
    const [html, text] = [...example.matchAll(/```(?:html)?\n([^`]+)```/g)].map(([, content]) => content);
    await write({ html: html ?? null, text: text ?? null });

    expect(await refusal()).toBe('it starts');
  });
});
