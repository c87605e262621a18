import { readFileSync } from 'node:fs';
import { marked, type Token, type Tokens } from 'marked';

/** The README as it is written. */
export const text = readFileSync('README.md', 'utf8');

const tokens = marked.lexer(text);

/** Every heading, as GitHub makes an anchor of it. */
export const anchors = ofType<Tokens.Heading>('heading').map((heading) =>
  heading.text
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-'),
);

/** Where its links lead. */
export const links = ofType<Tokens.Link>('link').map(({ href }) => href);

/** Everything within a line that is set as code. */
export const codeSpans = ofType<Tokens.Codespan>('codespan').map((span) => span.text);

/** The blocks of code in some languages; a block without one is what a reader types into a shell, if it is indented. */
export function codeBlocks(...languages: string[]): string[] {
  return ofType<Tokens.Code>('code')
    .filter(({ lang, codeBlockStyle }) =>
      languages.includes(codeBlockStyle === 'indented' ? 'sh' : (lang ?? '')),
    )
    .map((block) => block.text);
}

/** The rows of the first table under a heading, each cell as it is written. */
export function tableUnder(heading: string): string[][] {
  const table = sectionOf(heading).find((token): token is Tokens.Table => token.type === 'table');
  if (!table) throw new Error(`the README has no table under ${heading}`);
  return table.rows.map((cells) => cells.map((cell) => cell.text));
}

/** The text under a heading, with what is under its own. */
export function textUnder(heading: string): string {
  return sectionOf(heading)
    .map(({ raw }) => raw)
    .join('');
}

/** What is set as code in a text. */
export function codeIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function sectionOf(title: string): Token[] {
  const start = tokens.findIndex((token) => token.type === 'heading' && token.text === title);
  if (start < 0) throw new Error(`the README has no heading ${title}`);
  const { depth } = tokens[start] as Tokens.Heading;
  const rest = tokens.slice(start + 1);
  const end = rest.findIndex((token) => token.type === 'heading' && token.depth <= depth);
  return end < 0 ? rest : rest.slice(0, end);
}

function ofType<T extends Token>(type: T['type']): T[] {
  const found: T[] = [];
  marked.walkTokens(tokens, (token) => {
    if (token.type === type) found.push(token as T);
  });
  return found;
}
