import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { commandLine } from '../../src/cli/program.js';

const program = commandLine({});

/** A command and those below it. */
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const commands = program.commands.flatMap(all);

/** What `--help` of a command prints. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

/** Whether a line after `npm run cli -- ` calls a command that there is, with options that it has. */
function isCall(line: string): boolean {
  let command = program;
  const words = line.split(' ');
  while (command.commands.length > 0) {
    const below = command.commands.find((each) => each.name() === words[0]);
    if (!below) return false;
    command = below;
    words.shift();
  }
  const options = words.filter((word) => word.startsWith('--'));
  return options.every((option) => command.options.some(({ long }) => long === option));
}

describe('the command line', () => {
  it.each(commands.map((command) => [command.name(), command] as const))(
    'shows in the help of %s examples that are right',
    (_, command) => {
      const [, examples = ''] = helpOf(command).split('Examples:\n');
      const lines = examples.trimEnd().split('\n');

      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) {
        const [, call] = /^ {2}npm run cli -- (.+)$/.exec(line) ?? [];
        expect([line, isCall(call ?? '')]).toEqual([line, true]);
      }
    },
  );

  it('knows its version', () => {
    expect(program.version()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  });
});
