import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onColor } from '../config/color.js';
import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import type { Finding } from '../config/preflight/finding.js';
import { html as markup } from '../http/html.js';
import { isolated } from '../words/say.js';
import { type Parsed, type Piece, piecesOf } from './frame-pieces.js';
import { type Message, marked, type Sender } from './layout.js';

/** Mail clients cut a mail at 102 kB (Gmail), of which the words take some. */
const MAX_BYTES = 64 * 1024;

type Values = Record<string, string>;

/** The frame of a product, in which all mails are written: in every language, as HTML and as text. */
export class OwnFrame {
  private constructor(
    private readonly html: Piece[],
    private readonly text: Piece[],
    /** What an operator should know of it. */
    readonly warnings: Finding[],
  ) {}

  /**
   * Reads `mail/layout.html` and `mail/layout.txt` of `SVC_MESSAGES_DIR`. Returns null where there is neither.
   *
   * @throws OperatorError when they have a fault; it names all faults.
   */
  static async read({
    messagesDir,
    footerLinks = [],
  }: Pick<Environment, 'messagesDir'> & Partial<Pick<Environment, 'footerLinks'>>): Promise<OwnFrame | null> {
    if (messagesDir === undefined) return null;
    const [html, text] = await Promise.all(
      ['html', 'txt'].map((ending) => contentOf(join(messagesDir, 'mail', `layout.${ending}`))),
    );
    if (html === null && text === null) return null;
    const faults: string[] = [];
    if (html === null || text === null)
      faults.push(`mail/layout.${html === null ? 'html' : 'txt'} is missing: each mail is written twice`);
    const isTooLarge = (content: string | null | undefined) => Buffer.byteLength(content ?? '') > MAX_BYTES;
    for (const [name, content] of [
      ['layout.html', html],
      ['layout.txt', text],
    ] as const)
      if (isTooLarge(content))
        faults.push(`mail/${name} is larger than ${MAX_BYTES} bytes: mail clients would cut the mails`);
    // What is too large could take minutes to read.
    if (isTooLarge(html) || isTooLarge(text)) throw faulty(faults);

    // Loaded only here: who has no frame of their own needs no parser of HTML.
    const { htmlFaults, remoteImages, textFaults } = await import('./frame-faults.js');
    const pieces = [html ?? '', text ?? ''].map((content) => piecesOf(content));
    const [ofHtml, ofText] = pieces as [Parsed, Parsed];
    const hasLinks = footerLinks.some(({ mails }) => mails);
    faults.push(
      ...(html === null
        ? []
        : [...ofHtml.faults, ...htmlFaults(ofHtml.pieces, hasLinks)].map(inFile('html'))),
    );
    faults.push(
      ...(text === null ? [] : [...ofText.faults, ...textFaults(ofText.pieces, hasLinks)].map(inFile('txt'))),
    );
    if (faults.length > 0) throw faulty(faults);
    return new OwnFrame(ofHtml.pieces, ofText.pieces, remoteImages(ofHtml.pieces).map(remote));
  }

  asHtml(message: Message, sender: Sender): string {
    return written(
      this.html,
      valuesOf(message, sender),
      (value, isPlain) => (isPlain ? markup`${value}` : marked(value)).markup,
    );
  }

  asText(message: Message, sender: Sender): string {
    const text = written(this.text, valuesOf(message, sender), (value) => value);
    // A block that a mail does not have leaves its blank lines.
    return text.replace(/\n{3,}/g, '\n\n').trim();
  }
}

async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function faulty(faults: string[]): OperatorError {
  return new OperatorError({
    code: 'MAIL_TEMPLATE_FAULTY',
    severity: 'error',
    text: faults.join('\n'),
    fix: 'npm run cli -- messages check names all faults before a deployment.',
  });
}

const inFile = (ending: string) => (fault: string) => `mail/layout.${ending}, ${fault}`;

function remote(address: string): Finding {
  return {
    code: 'MAIL_LOADS_REMOTE',
    severity: 'warning',
    text: `mail/layout.html loads ${address}, whose host learns when each mail is read.`,
    fix: 'Leave it out, or say so in your privacy notice.',
  };
}

/** The values of each block, once for each time that it stands in a mail; and those that stand anywhere. */
function valuesOf(message: Message, sender: Sender): { common: Values; blocks: Record<string, Values[]> } {
  const { subject, paragraphs, action, code, aside, footnote } = message;
  const { name, contact, links, copyLink, color, language } = sender;
  const common = {
    subject,
    product: isolated(name, language),
    color,
    onColor: onColor(color),
    language: language.tag,
    direction: language.direction,
  };
  return {
    common,
    blocks: {
      paragraphs: paragraphs.map((paragraph) => ({ paragraph })),
      action: action ? [{ 'action.label': action.label, 'action.link': action.link, copyLink }] : [],
      code: code ? [{ 'code.label': code.label, 'code.code': code.code, 'code.warning': code.warning }] : [],
      aside: aside ? [{ 'aside.label': aside.label, 'aside.link': aside.link }] : [],
      footnote: footnote === undefined ? [] : [{ footnote }],
      contact: contact === null ? [] : [{ contact }],
      links: links.map(({ label, url }) => ({
        'link.label': isolated(label, language),
        'link.url': url,
      })),
    },
  };
}

function written(
  pieces: Piece[],
  { common, blocks }: ReturnType<typeof valuesOf>,
  put: (value: string, isPlain: boolean) => string,
): string {
  const write = (piece: Piece, values: Values): string => {
    if (typeof piece === 'string') return piece;
    if ('slot' in piece) return put(values[piece.slot] ?? '', piece.isPlain);
    return (blocks[piece.block] ?? [])
      .map((own) => piece.inner.map((each) => write(each, { ...common, ...own })).join(''))
      .join('');
  };
  return pieces.map((piece) => write(piece, common)).join('');
}
