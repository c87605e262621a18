import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import ts from 'typescript';
import { program } from '../../src/cli/program.js';
import { quotas } from '../../src/config/quota.js';
import { parseEnvironment, settingNames } from '../../src/config/read-environment.js';
import { variableName } from '../../src/config/variable-name.js';
import {
  anchors,
  codeBlocks,
  codeIn,
  codeSpans,
  links,
  tableUnder,
  text,
  textUnder,
} from '../support/readme.js';

/** What is made by a command that the README names. */
const GENERATED = ['test/bench/results'];

const settings = Object.fromEntries(settingNames().map((setting) => [variableName(setting), setting]));
const defaults: Record<string, unknown> = { ...parseEnvironment({ SVC_ENVIRONMENT: 'dev' }) };
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** All that the README has a reader type. */
const commands = [...codeBlocks('sh'), ...codeSpans].join('\n');

describe('the settings in the README', () => {
  it('are settings of the service', () => {
    const names = [...text.matchAll(/\bSVC_[A-Z_]*[A-Z](?![A-Z_…*])/g)].map(([name]) => name);
    const beginnings = [...text.matchAll(/\bSVC_[A-Z_]*_(?=[…*])/g)].map(([name]) => name);

    expect(names.filter((name) => !(name in settings))).toEqual([]);
    for (const beginning of beginnings)
      expect(Object.keys(settings)).toContainEqual(expect.stringMatching(`^${beginning}`));
  });

  it('have the defaults that it tells', () => {
    for (const [, name = '', value] of text.matchAll(/`(SVC_\w+)`\s\((\d+)[,)]/g))
      expect([name, String(defaults[settings[name] ?? ''])]).toEqual([name, value]);
  });

  it('are limited as the table of limits tells, which has all of them', () => {
    const told = tableUnder('Limits').flatMap(([names = '', quota = '']) =>
      codeIn(names).map((name) => [`SVC_LIMIT_${name}`, quotas(quota)]),
    );
    const limits = Object.entries(settings).filter(([name]) => name.startsWith('SVC_LIMIT_'));

    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(limits.map(([name, setting]) => [name, defaults[setting]])),
    );
  });
});

describe('the commands in the README', () => {
  it('are scripts of the package', () => {
    const run = [...commands.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    const short = [...commands.matchAll(/npm (start|test)\b/g)].map(([, script = '']) => script);

    expect([...run, ...short].filter((script) => !(script in scripts))).toEqual([]);
  });

  it('are commands of the command line, with options they have', () => {
    for (const [, use = ''] of commands.matchAll(/npm run cli -- ([^\n#]+)/g)) {
      const words = use.trim().split(/\s+/);
      const command = commandOf(words, program);
      expect([use, command]).toEqual([use, expect.any(Command)]);
      for (const option of words.filter((word) => word.startsWith('--')))
        expect(command?.options.map(({ long }) => long)).toContain(option);
    }
  });

  it('can be read by a shell', () => {
    for (const block of codeBlocks('sh')) execFileSync('bash', ['-n'], { input: block });
  });
});

describe('the files in the README', () => {
  it('exist, unless a command makes them', () => {
    const paths = codeSpans.filter((code) => /^(src|test|migrations|\.ci)\/[\w./-]*$/.test(code));

    expect(paths.filter((path) => !existsSync(path) && !GENERATED.includes(path))).toEqual([]);
  });

  it('are in the tree of it where they are, and every folder of the sources is there', () => {
    const told = [...textUnder('Where things are').matchAll(/^ {2}((?:[\w-]+(?:\/|\.ts) *)+)/gm)].flatMap(
      ([, names = '']) => names.trim().split(/ +/),
    );
    const folders = readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${name}/`);

    expect(told.filter((name) => !existsSync(`src/${name}`) && !existsSync(`test/${name}`))).toEqual([]);
    expect(folders.filter((folder) => !told.includes(folder))).toEqual([]);
  });

  it('are code that the compiler can read', () => {
    for (const code of codeBlocks('ts', 'js')) {
      const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true });
      expect([code, diagnostics?.map(({ messageText }) => messageText)]).toEqual([code, []]);
    }
  });

  it('are JSON where it says so', () => {
    for (const json of codeBlocks('json')) expect(JSON.parse(json)).toEqual(expect.any(Object));
  });

  it('link to headings of it', () => {
    const targets = links.filter((link) => link.startsWith('#')).map((link) => link.slice(1));

    expect(targets).not.toEqual([]);
    expect(targets.filter((target) => !anchors.includes(target))).toEqual([]);
  });
});

/** The command that words name, the first or the first two of them; undefined when they name none. */
function commandOf([name, ...rest]: string[], parent: Command): Command | undefined {
  const command = parent.commands.find((each) => each.name() === name);
  return command && command.commands.length > 0 ? commandOf(rest, command) : command;
}
