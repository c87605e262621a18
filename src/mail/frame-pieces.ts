/** A part of a frame: what stands there as it is, the place of a value, or what stands only where a mail has something. */
export type Piece =
  | string
  // Plain is what no element may stand in: an attribute, and a title.
  | { slot: string; isPlain: boolean; line: number }
  | { block: string; inner: Piece[]; line: number };

/** What a block is for, and which slots it brings. A slot of another block means nothing there. */
const BLOCKS: Record<string, string[]> = {
  paragraphs: ['paragraph'],
  action: ['action.label', 'action.link', 'copyLink'],
  code: ['code.label', 'code.code', 'code.warning'],
  aside: ['aside.label', 'aside.link'],
  footnote: ['footnote'],
  contact: ['contact'],
  links: ['link.label', 'link.url'],
};

/** The slots that stand anywhere. */
const SLOTS = ['subject', 'product', 'color', 'onColor', 'language', 'direction'];

/** A frame in its parts. */
export interface Parsed {
  pieces: Piece[];
  /** Each begins with its line. */
  faults: string[];
}

/** Takes a frame apart. What a slot brings in later is never read as a frame. */
export function piecesOf(content: string): Parsed {
  const faults: string[] = [];
  const root: Piece[] = [];
  let into = root;
  let open: { block: string; line: number } | null = null;
  let read = 0;
  for (const match of content.matchAll(/\{\{([#/]?)([\w.]+)\}\}/g)) {
    const [whole, sign, name = ''] = match;
    const before = content.slice(0, match.index);
    const line = before.split('\n').length;
    into.push(content.slice(read, match.index));
    read = match.index + whole.length;
    if (sign === '#') {
      if (open !== null)
        faults.push(`line ${line}: {{#${name}}} stands within {{#${open.block}}}: close that first`);
      else if (BLOCKS[name] === undefined)
        faults.push(`line ${line}: there is no {{#${name}}}: ${known(BLOCKS)}`);
      const inner: Piece[] = [];
      into.push({ block: name, inner, line });
      [open, into] = [{ block: name, line }, inner];
    } else if (sign === '/') {
      if (open?.block !== name) faults.push(`line ${line}: {{/${name}}} closes nothing`);
      [open, into] = [null, root];
    } else {
      const here = [...SLOTS, ...(open ? (BLOCKS[open.block] ?? []) : [])];
      if (!here.includes(name))
        faults.push(`line ${line}: {{${name}}} means nothing here: ${hint(name, here)}`);
      const isAttribute = before.lastIndexOf('<') > before.lastIndexOf('>');
      if (isAttribute && /=\s*$/.test(before))
        faults.push(`line ${line}: {{${name}}} stands without quotation marks: write "{{${name}}}"`);
      const isTitle = /<title\b[^>]*>[^<]*$/i.test(before);
      into.push({ slot: name, isPlain: isAttribute || isTitle, line });
    }
  }
  into.push(content.slice(read));
  if (open !== null) faults.push(`line ${open.line}: {{#${open.block}}} is never closed`);
  for (const [index, line] of content.split('\n').entries())
    if (/\{\{\{|\}\}\}/.test(line) || /\{\{|\}\}/.test(line.replace(/\{\{[#/]?[\w.]+\}\}/g, '')))
      faults.push(`line ${index + 1}: two braces that are no slot: write them as {{subject}}`);
  return { pieces: root, faults };
}

function known(blocks: object): string {
  return `there are ${Object.keys(blocks)
    .map((name) => `{{#${name}}}`)
    .join(', ')}`;
}

function hint(name: string, here: string[]): string {
  const [block] = Object.entries(BLOCKS).find(([, slots]) => slots.includes(name)) ?? [];
  return block === undefined
    ? `write one of ${here.join(', ')}`
    : `put it between {{#${block}}} and {{/${block}}}`;
}
