import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { Piece } from './frame-pieces.js';

type Slot = Extract<Piece, { slot: string }>;

/** What mails are made of. */
const ELEMENTS = new Set(
  'html head meta title style body div span p h1 h2 h3 a img br hr table thead tbody tr td th ul ol li strong em b i u small center blockquote pre code bdi address article section header footer main'.split(
    ' ',
  ),
);

const ATTRIBUTES = new Set(
  'align alt bgcolor border cellpadding cellspacing charset class colspan content dir height href id lang name role rowspan src style target title valign width'.split(
    ' ',
  ),
);

/** What a parser does not close by itself where its author meant to. */
const MUST_END = new Set('a div span table strong em b i u small center h1 h2 h3 style title'.split(' '));

/** Which slots an attribute may have, each as the whole of its value; in a style as a part of it. */
const IN_ATTRIBUTES: Record<string, string[]> = {
  href: ['action.link', 'aside.link', 'link.url'],
  lang: ['language'],
  dir: ['direction'],
  bgcolor: ['color', 'onColor'],
  style: ['color', 'onColor'],
  alt: ['product', 'subject'],
  title: ['product', 'subject'],
  'aria-label': ['product', 'subject'],
};

/** Without one of these a mail would not say or do what it is for. */
const NEEDED = [
  'paragraph',
  'action.label',
  'action.link',
  'code.label',
  'code.code',
  'code.warning',
  'footnote',
];
const NEEDED_ASIDE = ['aside.label', 'aside.link'];
/** Of a frame that has the links of `SVC_FOOTER_LINKS`, and of any where some of these are for mails. */
const NEEDED_LINK = ['link.label', 'link.url'];

const LINKS = ['action.link', 'aside.link', 'link.url'];

/** What a style could load from elsewhere, or hide from this check. */
const LOADS = /url\s*\(|@import|expression\s*\(|image-set|src\s*\(|\\|behavior\s*:|-moz-binding/i;

/** What keeps a reader from seeing what stands there. */
const HIDES = /display\s*:\s*none|visibility\s*:\s*hidden|(opacity|max-height)\s*:\s*0(?![.\d])/i;

/** What is wrong with the HTML of a frame. Each begins with its line. */
export function htmlFaults(pieces: Piece[], hasLinks: boolean): string[] {
  const faults = [...markupFaults(pieces, true), ...missing(pieces, hasLinks)];
  return faults.length > 0 ? faults : faultsWithoutBlocks(pieces);
}

/** A mail that lacks a block must be as sound as one that has them all: a block may end a comment, or an element. */
function faultsWithoutBlocks(pieces: Piece[]): string[] {
  const blocks = new Set(pieces.flatMap((piece) => (isBlock(piece) ? piece.block : [])));
  return [...blocks].flatMap((block) =>
    markupFaults(
      // Its lines stay, so that those of the others are counted right.
      pieces.map((piece) => (isBlock(piece) && piece.block === block ? linesOf(piece) : piece)),
      false,
    ).map((fault) => `${fault}, in a mail without {{#${block}}}`),
  );
}

function markupFaults(pieces: Piece[], isWhole: boolean): string[] {
  const { content, slots } = drafted(pieces);
  const faults: string[] = [];
  const document = parse(content, {
    sourceCodeLocationInfo: true,
    onParseError: ({ code, startLine }) => faults.push(`line ${startLine}: it is no sound HTML (${code})`),
  });
  visit(document, (node) => {
    if ('data' in node && slotsIn(node.data, slots).length > 0)
      faults.push(`line ${lineOf(node)}: a slot stands in a comment: take it out`);
    if (!('tagName' in node)) return;
    const report = (fault: string) => faults.push(`line ${lineOf(node)}: ${fault}`);
    if (!ELEMENTS.has(node.tagName)) report(`<${node.tagName}> may not stand in a mail`);
    if (MUST_END.has(node.tagName) && !node.sourceCodeLocation?.endTag)
      report(`<${node.tagName}> is never closed`);
    if (node.tagName === 'style' && slotsIn(textOf(node), slots).length > 0)
      report('a slot stands in a style sheet: put the colour into a style="…"');
    if (node.tagName === 'style' && LOADS.test(textOf(node)))
      report('a style sheet loads nothing, and has no backslash');
    for (const { name, value } of node.attrs)
      attributeFaults(node.tagName, name, value, slots).forEach(report);
  });
  const { read, linked } = seenIn(document, slots);
  const present = new Set(slots.map(({ slot }) => slot));
  if (isWhole) {
    const needed = neededIn(present, false);
    for (const link of needed.filter((each) => LINKS.includes(each) && !linked.has(each)))
      faults.push(`{{${link}}} is the href of no link: readers could not follow it`);
    for (const slot of needed.filter((each) => !LINKS.includes(each)))
      if (present.has(slot) && !read.has(slot))
        faults.push(
          `{{${slot}}} stands only where nobody reads it: put it into the body, and do not hide it`,
        );
  }
  return faults;
}

/** The slots that a reader sees: as text, and as the address of a link. */
function seenIn(document: Tree.Document, slots: Slot[]): { read: Set<string>; linked: Set<string> } {
  const [read, linked] = [new Set<string>(), new Set<string>()];
  const look = (node: Tree.Node): void => {
    if (node.nodeName === '#text' && 'value' in node)
      for (const { slot } of slotsIn(node.value, slots)) read.add(slot);
    if ('tagName' in node) {
      const { style = '', href = '' } = Object.fromEntries(
        node.attrs.map(({ name, value }) => [name, value]),
      );
      if (node.tagName === 'head' || HIDES.test(style.replace(/\/\*.*?\*\//gs, ''))) return;
      if (node.tagName === 'a') for (const { slot } of slotsIn(href, slots)) linked.add(slot);
    }
    if ('childNodes' in node) node.childNodes.forEach(look);
  };
  look(document);
  return { read, linked };
}

/** What is wrong with the text of a frame. Each begins with its line. */
export function textFaults(pieces: Piece[], hasLinks: boolean): string[] {
  const { content, slots } = drafted(pieces);
  const faults = content.split('\n').flatMap((line, index) =>
    slotsIn(line, slots)
      .filter(({ slot }) => LINKS.includes(slot) && line.trim() !== tokenOf(slots, slot))
      .map(
        ({ slot }) =>
          `line ${index + 1}: {{${slot}}} stands not alone on its line, where mail clients would break it`,
      ),
  );
  return [...faults, ...missing(pieces, hasLinks)];
}

/** The addresses of images that a frame loads from elsewhere. */
export function remoteImages(pieces: Piece[]): string[] {
  const addresses: string[] = [];
  visit(parse(drafted(pieces).content), (node) => {
    if ('tagName' in node && node.tagName === 'img')
      addresses.push(...node.attrs.filter(({ name }) => name === 'src').map(({ value }) => value));
  });
  return addresses;
}

function attributeFaults(element: string, name: string, value: string, slots: Slot[]): string[] {
  const within = slotsIn(value, slots);
  const allowed = IN_ATTRIBUTES[name] ?? [];
  const faults: string[] = [];
  if (name === 'href' && element !== 'a')
    faults.push(`href="…" leads nowhere on <${element}>: put it on <a>`);
  if (name.startsWith('on')) return [`${name}="…" runs a script: take it out`];
  if (!ATTRIBUTES.has(name) && !/^aria-[a-z]+$/.test(name))
    faults.push(`${name}="…" may not stand on <${element}>`);
  for (const { slot } of within)
    if (!allowed.includes(slot))
      faults.push(
        `{{${slot}}} may not stand in ${name}="…"${allowed.length > 0 ? `, where ${allowed.join(' or ')} may` : ''}`,
      );
  if (name === 'style' && LOADS.test(value)) faults.push('a style loads nothing, and has no backslash');
  const isWhole = within.length === 0 || value === tokenOf(slots, within[0]?.slot ?? '');
  if (name !== 'style' && !isWhole) faults.push(`a slot is the whole of ${name}="…", or no part of it`);
  if (name === 'href' && within.length === 0 && !/^(https:|mailto:)/.test(value))
    faults.push(`href="${value}" is no https: or mailto: address`);
  if (name === 'src' && !value.startsWith('https:')) faults.push(`src="${value}" is no https: address`);
  return faults;
}

function missing(pieces: Piece[], hasLinks: boolean): string[] {
  const { slots } = drafted(pieces);
  const present = new Set(slots.map(({ slot }) => slot));
  return neededIn(present, hasLinks)
    .filter((slot) => !present.has(slot))
    .map((slot) =>
      NEEDED_LINK.includes(slot)
        ? `{{${slot}}} is missing: write the links of SVC_FOOTER_LINKS between {{#links}} and {{/links}}`
        : `{{${slot}}} is missing: some mails would not say what they are for`,
    );
}

function neededIn(present: Set<string>, hasLinks: boolean): string[] {
  const isWithLinks = hasLinks || NEEDED_LINK.some((slot) => present.has(slot));
  return [...NEEDED, ...NEEDED_ASIDE, ...(isWithLinks ? NEEDED_LINK : [])];
}

/** A frame with a word in the place of each slot, and all blocks once. Its lines are those of the file. */
function drafted(pieces: Piece[]): { content: string; slots: Slot[] } {
  const slots: Slot[] = [];
  const write = (piece: Piece): string => {
    if (typeof piece === 'string') return piece;
    if ('block' in piece) return piece.inner.map(write).join('');
    slots.push(piece);
    return token(piece);
  };
  return { content: pieces.map(write).join(''), slots };
}

function isBlock(piece: Piece): piece is Extract<Piece, { block: string }> {
  return typeof piece !== 'string' && 'block' in piece;
}

function linesOf({ inner }: Extract<Piece, { block: string }>): string {
  return inner.map((piece) => (typeof piece === 'string' ? piece.replace(/[^\n]/g, '') : '')).join('');
}

function token({ slot }: Slot): string {
  return `latchkey-slot-${slot.replace('.', '-')}-end`;
}

function tokenOf(slots: Slot[], name: string): string | undefined {
  const found = slots.find(({ slot }) => slot === name);
  return found && token(found);
}

function slotsIn(text: string, slots: Slot[]): Slot[] {
  const unique = [...new Map(slots.map((slot) => [slot.slot, slot])).values()];
  return unique.filter((slot) => text.includes(token(slot)));
}

function visit(node: Tree.Node, see: (node: Tree.Node) => void): void {
  see(node);
  if ('childNodes' in node) for (const child of node.childNodes) visit(child, see);
}

function textOf(node: Tree.Element): string {
  return node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}

function lineOf(node: Tree.Node): number | string {
  return ('sourceCodeLocation' in node && node.sourceCodeLocation?.startLine) || '?';
}
