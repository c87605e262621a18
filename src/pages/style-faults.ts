import {
  type CSSToken,
  isTokenAtKeyword,
  isTokenFunction,
  isTokenString,
  isTokenURL,
  isTokenWhiteSpaceOrComment,
  TokenType,
  tokenize,
} from '@csstools/css-tokenizer';

/** A file that a style sheet names, and where it does. */
interface NamedFile {
  name: string;
  start: number;
  end: number;
}

/** A file beside the style sheet: no such name leads out of its folder. */
const FILE = /^\w[\w.-]*\.(?:woff2|svg)$/;

/** At-rules that load nothing. Any other is refused, because a later browser may know one that does. */
const AT_RULES = new Set(
  'charset container counter-style font-face font-feature-values font-palette-values keyframes layer media page position-try property scope starting-style supports view-transition -webkit-keyframes'.split(
    ' ',
  ),
);

/** Functions that take an address as a mere string, also out of a variable. */
const LOADING = new Set('src image image-set -webkit-image-set filter -webkit-filter'.split(' '));

const CLOSED_BY = new Map([
  [TokenType.Function, TokenType.CloseParen],
  [TokenType.OpenParen, TokenType.CloseParen],
  [TokenType.OpenSquare, TokenType.CloseSquare],
  [TokenType.OpenCurly, TokenType.CloseCurly],
]);

/** What has more faults than this is no style sheet. */
const MOST_FAULTS = 20;

/** The files that a style sheet names, and what is wrong with it. Each fault begins with its line. */
export function readStyle(css: string): { files: NamedFile[]; faults: string[] } {
  const files: NamedFile[] = [];
  const faults: string[] = [];
  const report = (start: number, fault: string) => {
    if (faults.length < MOST_FAULTS) faults.push(`line ${css.slice(0, start).split('\n').length}: ${fault}`);
  };
  // As browsers take it apart (CSS Syntax Level 3, §4.3). What they cannot read, a later one may read otherwise.
  const onParseError = ({ message, sourceStart }: { message: string; sourceStart: number }) =>
    report(sourceStart, `browsers cannot read it: ${message.replace(/\.$/, '')}`);
  const tokens = tokenize({ css }, { onParseError });
  for (const [index, token] of tokens.entries()) {
    const [kind, , start, last] = token;
    const name = (address: string, end: number) => {
      if (FILE.test(address)) files.push({ name: address, start, end });
      else
        report(start, `url(${shortened(address)}) is no .woff2 or .svg beside pages.css: put the file there`);
    };
    if (kind === TokenType.CDO || kind === TokenType.CDC)
      report(start, 'it has a comment of HTML: take it out');
    if (isTokenAtKeyword(token) && !AT_RULES.has(nameOf(token))) report(start, atFault(nameOf(token)));
    if (isTokenURL(token)) name(token[4].value, last + 1);
    if (isTokenFunction(token) && nameOf(token) === 'url') {
      const [string, closing] = tokens
        .slice(index + 1, index + 6)
        .filter((each) => !isTokenWhiteSpaceOrComment(each));
      if (isTokenString(string) && closing?.[0] === TokenType.CloseParen)
        name(string[4].value, closing[3] + 1);
      else report(start, 'url( holds more than a name: write url("name.svg")');
    }
    if (isTokenFunction(token) && LOADING.has(nameOf(token)))
      report(start, `${nameOf(token)}( can load from elsewhere: write url(name.svg)`);
  }
  bracketFault(tokens, report);
  return { files, faults };
}

/** In lower case and without its escapes, as browsers compare it. */
function nameOf(token: CSSToken & { 4: { value: string } }): string {
  return token[4].value.toLowerCase();
}

function atFault(name: string): string {
  return name === 'import'
    ? '@import loads another file: write its rules into this one'
    : `@${name} may not stand in it: take it out`;
}

/** Of brackets that do not match, browsers would read something else than their author does. */
function bracketFault(tokens: CSSToken[], report: (start: number, fault: string) => void): void {
  const open: { start: number; text: string; closing: TokenType }[] = [];
  const closings = new Set(CLOSED_BY.values());
  for (const [kind, text, start] of tokens) {
    const closing = CLOSED_BY.get(kind);
    if (closing !== undefined) open.push({ start, text, closing });
    if (!closings.has(kind) || open.pop()?.closing === kind) continue;
    report(start, `${text} ends nothing that is open: take it out`);
    return;
  }
  const [first] = open;
  if (first) report(first.start, `${shortened(first.text)} is never closed`);
}

function shortened(address: string): string {
  return address.length > 60 ? `${address.slice(0, 60)}…` : address;
}
