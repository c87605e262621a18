import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const WEB = 'src/pages/web';
const STYLE = `${WEB}/style`;

/** Sides that a language which is read from right to left would have the other way round. */
const PHYSICAL = [
  /(?:^|[;{\s])(?:left|right|(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)(?:-\w+)?)\s*:/,
  /(?:text-align|float|clear|caption-side|justify-[\w-]+|background-position|transform-origin)\s*:[^;]*\b(?:left|right)\b/,
  /border-(?:top|bottom)-(?:left|right)-radius\s*:/,
  /translate(?:X|3d)?\s*\(|(?:^|[;{\s])translate\s*:/,
];

/** Four sides in one, of which the second is the right and the fourth the left one. */
const FOUR_SIDES = /(?:^|[;{\s])(?:margin|padding|inset|border-(?:width|style|color))\s*:\s*([^;{}]+)/g;

/** What names a side where it should name a beginning or an end. */
function faultsIn(css: string): string[] {
  const declarations = css.replace(/\/\*[\s\S]*?\*\//g, '').split(/(?<=[;{}])/);
  return declarations
    .filter((each) => PHYSICAL.some((pattern) => pattern.test(each)) || differs(each))
    .map((each) => each.trim());
}

function differs(declaration: string): boolean {
  return [...declaration.matchAll(FOUR_SIDES)].some(([, value = '']) => {
    const [, right, , left] = value.trim().match(/(?:[\w-]*\((?:[^()]|\([^()]*\))*\)|[^\s()]+)+/g) ?? [];
    return left !== undefined && left !== right;
  });
}

const sheets = readdirSync(STYLE).filter((name) => name.endsWith('.css'));
const read = (name: string) => readFileSync(`${STYLE}/${name}`, 'utf8');
const all = sheets.map(read).join('\n');

describe('the style sheets', () => {
  it.each(sheets)('name beginnings and ends, and no sides: %s', (name) => {
    expect(faultsIn(read(name))).toEqual([]);
  });

  it('keep only numbers, times, and addresses that are cut, on one line', () => {
    const rules = [
      ...all.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{}]+)\{[^{}]*white-space: nowrap[^{}]*\}/g),
    ];

    expect(rules.map(([, selector = '']) => selector.trim())).toEqual([
      '.unseen:not(:focus, :active)',
      '.side .who bdi',
      '.console tbody time',
      '.figures strong',
      '.page td time',
      '.bar .who bdi',
    ]);
  });

  it('leave capitals to the words, and slanted letters away', () => {
    expect(all).not.toMatch(/text-transform|font-variant-caps|italic|oblique/);
  });

  it('take every distance of letters from a token, which is none where letters are joined or as wide as high', () => {
    expect([...all.matchAll(/letter-spacing: ([^;]+);/g)].map(([, value]) => value)).toEqual([
      'var(--tight)',
      'var(--wide)',
    ]);
    expect(all).toMatch(/:root:is\(:lang\(ar\), :lang\(ja\), :lang\(zh\)\) \{[^}]*--tight: 0;\s*--wide: 0;/);
  });
});

describe('the sources of the pages', () => {
  it('name no side in a style of their own, and write nothing as the browser would without their language', () => {
    const sources = ['account', 'parts']
      .flatMap((folder) => readdirSync(`${WEB}/${folder}`).map((name) => `${WEB}/${folder}/${name}`))
      .map((path) => [path, readFileSync(path, 'utf8')] as const);
    const styles = (source: string) =>
      [...source.matchAll(/style=(\{\{[^}]*\}\}|"[^"]*")/g)].map(([style]) => style);
    const faults = sources.flatMap(([path, source]) => [
      ...styles(source)
        .filter((style) => /left|right/i.test(style))
        .map((style) => `${path}: ${style}`),
      ...(source.match(/\.toLocale\w*\(\s*(undefined)?\s*[,)]|Intl\.\w+\(\s*(undefined)?\s*[,)]/g) ?? []).map(
        (call) => `${path}: ${call}`,
      ),
    ]);

    expect(sources.length).toBeGreaterThan(50);
    expect(faults).toEqual([]);
  });
});

describe('a style sheet that names a side', () => {
  it.each([
    'a { left: 0; }',
    'a { margin-left: auto; }',
    'a { border-right: 1px solid; }',
    'a { text-align: right; }',
    'a { margin: -10px 0 -10px -12px; }',
    'a { inset: 0 auto 0 calc(1px + 2px); }',
    'a { border-top-left-radius: 2px; }',
    'a { transform: translateX(4px); }',
  ])('is found: %s', (css) => {
    expect(faultsIn(css)).toHaveLength(1);
  });

  it.each([
    'a { margin: 1px auto 2px auto; }',
    'a { padding: 0 var(--space-8); inset-inline-start: 0; text-align: start; }',
    'a { padding: 0 calc(1px + 2px) 0 calc(1px + 2px); }',
    '/* to the left: here */ a { scale: -1 1; }',
  ])('is not mistaken for %s', (css) => {
    expect(faultsIn(css)).toEqual([]);
  });
});
