import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import * as errors from '../../src/http/errors.js';
import { bundleOnce } from '../../src/pages/bundle.js';
import { compileLanguage } from '../../src/words/compile.js';

/** The folders whose texts stand in the catalogue. */
const FOLDERS = ['account', 'console', 'parts'].map((name) => `src/pages/web/${name}`);

/** What a file says by itself, or glues together, instead of taking it whole from the catalogue. */
function faultsIn(file: string, source: string): string[] {
  const faults: string[] = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const visit = (node: ts.Node) => {
    const fault = faultOf(node);
    if (fault) faults.push(`${file}: ${fault} ${node.getText().replace(/\s+/g, ' ').slice(0, 80)}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return faults;
}

function faultOf(node: ts.Node): string | null {
  if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) return 'writes a text into markup:';
  if (ts.isStringLiteralLike(node) && isSentence(node.text) && !isForPrograms(node)) return 'has a text:';
  if (ts.isJsxAttribute(node) && isRead(node)) return 'writes a text into an attribute:';
  const isGlue =
    ts.isTemplateSpan(node) ||
    (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken);
  if (isGlue && /\bsay\(Word\b/.test(ownText(node))) return 'joins a text to another one:';
  if (ts.isTemplateExpression(node) && isSentence(node.head.text)) return 'has a text:';
  return null;
}

/** The part of a template or of a sum that is joined. */
function ownText(node: ts.Node): string {
  return ts.isTemplateSpan(node) ? node.expression.getText() : node.getText();
}

/** A capital and small letters, and then an end, a blank or a point: `Log in`, `Off`, and not `InvalidCode` or `button words`. */
function isSentence(text: string): boolean {
  return /^\p{Lu}\p{Ll}+($|[\s,.:!?…])/u.test(text) || /^\p{L}[\p{L}’,]+ .*[.?!]$/u.test(text);
}

/** Codes of problems, names of keys, and what is thrown for those who write these pages. */
function isForPrograms(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return true;
  if (ts.isNewExpression(parent)) return parent.expression.getText() === 'Error';
  if (ts.isCallExpression(parent)) return parent.expression.getText() === 'isProblem';
  return false;
}

/** Whether an attribute that people see or hear is written out. */
function isRead({ name, initializer }: ts.JsxAttribute): boolean {
  const isOfPeople =
    /^(title|label|aria-label|alt|placeholder|hint|note|caption|button|verb|remedy|gone|words)$/;
  return (
    isOfPeople.test(name.getText()) &&
    initializer !== undefined &&
    ts.isStringLiteral(initializer) &&
    /\p{L}/u.test(initializer.text)
  );
}

const SOURCES = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)).map(
  (path) => [path, readFileSync(path, 'utf8')] as const,
);

describe('the pages at /ui and the console', () => {
  it('take every text from the catalogue, whole', () => {
    expect(SOURCES.length).toBeGreaterThan(80);
    expect(SOURCES.flatMap(([path, source]) => faultsIn(path, source))).toEqual([]);
  });

  it('say every text that the catalogue has for them', async () => {
    const { keys } = await compileLanguage('en', 'pages');
    const all = SOURCES.map(([, source]) => source).join();

    expect(keys.length).toBeGreaterThan(250);
    expect(keys.filter((key) => !all.includes(`Word['${key}']`))).toEqual([]);
  });
});

describe('the problems of the API', () => {
  const CODES = Object.keys(errors);

  it('each have a text, which takes no more than a page knows of each', async () => {
    const { keys, given } = await compileLanguage('en', 'problems');

    expect(keys.map((key) => key.replace('problem.', ''))).toEqual([...CODES, 'Unreachable'].sort());
    expect([...new Set(given.flatMap(Object.keys))].sort()).toEqual([
      'asked',
      'count',
      'cure',
      'request',
      'unit',
    ]);
  });

  it('come late, but for what is said where nothing more can be fetched', async () => {
    const { words, files } = await bundleOnce();
    for (const name of Object.values(words.en ?? {})) {
      const { problems, late } = JSON.parse(String(files.get(name)));

      expect(Object.keys(problems)).toEqual(['InternalError', 'Unreachable']);
      expect(Object.keys(JSON.parse(String(files.get(late.problems))))).toEqual(
        expect.arrayContaining([...CODES, 'Unreachable']),
      );
    }
  });
});

describe('a source that would say something else', () => {
  it.each([
    ['<p>Log in</p>', 'writes a text into markup'],
    ['<p>{isNew && " now"} ok</p>', 'writes a text into markup'],
    ['<p title="log in" />', 'writes a text into an attribute'],
    ['<p>{isOn ? "On" : state}</p>', 'has a text'],
    ['const words = "you have none.";', 'has a text'],
    ['const words = `Hello $\u007bname}`;', 'has a text'],
    ["const words = say(Word['a.b']) + name;", 'joins a text'],
    ["const words = `$\u007bsay(Word['a.b'])} $\u007bname}`;", 'joins a text'],
  ])('is found: %s', (source, fault) => {
    expect(faultsIn('page.tsx', source)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    ["<p title={say(Word['a.b'])}>{say(Word['a.b'])}</p>"],
    ['<p class="button words">{name}</p>'],
    ["if (isProblem(error, 'Unauthenticated')) throw new Error('No style');"],
  ])('is not mistaken for %s', (source) => {
    expect(faultsIn('page.tsx', source)).toEqual([]);
  });
});
