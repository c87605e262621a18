import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { commandLine } from '../src/cli/program.js';
import { problems, routeNames, settings } from './reference.js';

/** What a command makes, so that a fresh clone has none of it. */
const MADE = ['test/bench/results'];

/** What the tests read, and the service does not. */
const SETTINGS_OF_TESTS = ['SVC_TEST_DATABASE_URL'];

/** What the service serves and the OpenAPI document leaves out. */
const UNDOCUMENTED = [
  'GET /docs',
  'GET /openapi.json',
  'GET /dev/mail',
  'GET /dev/mail/preview',
  'GET /dev/mail.json',
  'GET /dev/mail/:id.json',
];

/** The pages for what an operator may be told by a code. */
const FINDINGS = ['docs/configuration.md', 'docs/production.md'];

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const statuses = new Map(problems.map((problem) => [problem.code, problem.getStatus()]));

/** Turns of phrase that a reader has to translate, and what to write in their place. */
const TURNS: [turn: RegExp, better: string][] = [
  [/\b(?<!\bare )no more(?=[.,;:!?)]| once| on\b)/i, 'no longer'],
  [/\bany ?more\b/i, 'no longer'],
  [/\bbut for\b/i, 'except'],
  [/\bthose before\b/i, 'the earlier ones'],
  [/\bwhoever\b/i, 'the person who'],
  [/\bwhat is due\b/i, 'name it'],
  [/\bgo on with this\b|\band go on\b(?=[.<'"]|$)|>Go on</, 'continue'],
  [/\blook into your mail\b/i, 'check your email'],
];

type Document = { file: string; text: string; prose: string };

/** Whatever a document names and the repository does not have. */
const RULES: Record<string, (document: Document, all: Map<string, string>) => string[]> = {
  'a link leads nowhere': ({ file, prose }, all) =>
    matches(prose, /\]\((?!https?:)([^)\s]+)\)/g).filter((link) => !isReachable(file, link, all)),

  'a path does not exist': ({ prose }) => [
    ...matches(prose, /`((?:src|test|migrations|docs|\.ci)\/[\w./-]*)`/g).filter(
      (path) => !existsSync(path) && !MADE.includes(path),
    ),
    ...matches(prose, /`((?!src|test|migrations|docs|dist)[\w-]+\/[\w./-]+\.ts)`/g).filter(
      (path) => !existsSync(`src/${path}`),
    ),
  ],

  'a setting does not exist': ({ prose, text }) => [
    ...matches(prose + blocks(text, 'sh'), /\b(SVC_[A-Z_]*[A-Z])(?![A-Z_…*])/g).filter(
      (name) => !SETTINGS_OF_TESTS.includes(name) && !settings.some((each) => isFor(each.name, name)),
    ),
    ...matches(prose, /\b(SVC_[A-Z_]*_)(?=[…*])/g).filter(
      (start) => !settings.some(({ name }) => name.startsWith(start)),
    ),
  ],

  'a default is another': ({ prose }) =>
    [...prose.matchAll(/`(SVC_\w+)`\s\((\d+)[,)]/g)]
      .filter(([, name, value]) => settings.find((each) => each.name === name)?.fallback !== value)
      .map(([told]) => told),

  'a script does not exist': ({ text }) =>
    matches(text, /npm run ([\w:]*\w)/g).filter((script) => !(script in scripts)),

  'a command does not exist': ({ text }) =>
    matches(text, /npm run cli -- ([\w-]+)/g).filter(
      (name) => !commandLine({}).commands.some((command) => command.name() === name),
    ),

  'a route does not exist': ({ prose }) =>
    matches(prose, /`((?:GET|POST|PATCH|DELETE) \/[\w/:.-]*)`/g).filter(
      (route) => ![...routeNames, ...UNDOCUMENTED].includes(route),
    ),

  'an error has another status': ({ prose }) =>
    [...prose.matchAll(/\b([45]\d\d) ((?:`[A-Z]\w+`(?:, )?)+)/g)].flatMap(([, status, codes = '']) =>
      matches(codes, /`(\w+)`/g)
        .filter((code) => statuses.get(code) !== Number(status))
        .map((code) => `${status} ${code}`),
    ),

  'a turn of phrase is hard to read': ({ prose }) => turnsIn(prose),

  'a shell cannot read a block': ({ text }) => blocks(text, 'sh').filter((block) => !isShell(block)),

  'the compiler cannot read a block': ({ text }) =>
    [...blocks(text, 'ts'), ...blocks(text, 'js')].filter((block) => {
      const { diagnostics = [] } = ts.transpileModule(block, { reportDiagnostics: true });
      return diagnostics.length > 0;
    }),
};

/** What is wrong with the documents, one line for each fault. */
export function findFaults(documents: Map<string, string>): string[] {
  const faults = [...documents].flatMap(([file, text]) => {
    const document = { file, text, prose: text.replace(/^```[\s\S]*?^```/gm, '') };
    return Object.entries(RULES).flatMap(([fault, find]) =>
      find(document, documents).map((what) => `${file}: ${fault}: ${what}`),
    );
  });
  const told = FINDINGS.map((file) => documents.get(file)).join('\n');
  return [
    ...faults,
    ...readFiles('src', /\.(ts|tsx)$/).flatMap(({ file, text }) =>
      turnsIn(text).map((what) => `${file}: a turn of phrase is hard to read: ${what}`),
    ),
    ...findings()
      .filter((code) => !told.includes(`\`${code}\``))
      .map((code) => `${FINDINGS.join(', ')}: ${code} is not explained`),
    ...logEvents()
      .filter((event) => !documents.get('docs/observe.md')?.includes(`\`${event}\``))
      .map((event) => `docs/observe.md: the log event ${event} is not explained`),
  ];
}

/** Whether a variable holds a setting, or names the file with it. */
function isFor(setting: string, variable: string): boolean {
  return variable === setting || variable === `${setting}_FILE`;
}

/** The events of the log lines. */
function logEvents(): string[] {
  return [...new Set(sourceFiles().flatMap((source) => matches(source, /\bevent: '(\w+\.\w+)'/g)))];
}

function sourceFiles(): string[] {
  return readFiles('src', /\.ts$/).map(({ text }) => text);
}

function readFiles(folder: string, names: RegExp): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));
}

/** The hard turns of a text, each with a better one. Lines of a comment or a paragraph are read as one. */
function turnsIn(text: string): string[] {
  const flowing = text.replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
  return TURNS.flatMap(([turn, better]) =>
    [...flowing.matchAll(new RegExp(turn, `${turn.flags}g`))].map(({ 0: found, index }) => {
      const around = flowing.slice(Math.max(0, index - 30), index + found.length);
      return `“…${around}” (better: ${better})`;
    }),
  );
}

/** The codes of what the start and the doctor find. */
function findings(): string[] {
  const sources = ['src/config/preflight', 'src/cli/doctor'].flatMap((folder) =>
    readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
  );
  const codes = sources.flatMap((source) => matches(source, /'((?!SVC_)[A-Z]+(?:_[A-Z]+)+|UNREACHABLE)'/g));
  const elsewhere = sourceFiles().flatMap((source) =>
    matches(source, /\b(?:code: |fault\(\s*)'([A-Z]+(?:_[A-Z]+)+)'/g),
  );
  return [...new Set([...codes, ...elsewhere])];
}

function isReachable(from: string, link: string, documents: Map<string, string>): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (anchor === undefined) return existsSync(target);
  return anchorsOf(documents.get(target) ?? '').includes(anchor);
}

/** Every heading as GitHub makes an anchor of it. */
function anchorsOf(text: string): string[] {
  return matches(text.replace(/^```[\s\S]*?^```/gm, ''), /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

function blocks(text: string, language: string): string[] {
  return matches(text, new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'));
}

function isShell(block: string): boolean {
  try {
    execFileSync('bash', ['-n'], { input: block, stdio: ['pipe', 'ignore', 'ignore'] });
    return true;
  } catch {
    return false;
  }
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}
