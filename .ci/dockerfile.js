import { readFileSync } from 'node:fs';

/** The stages of a Dockerfile: what each builds on, its name, and its instructions in order. */
export function readStages(path) {
  const lines = readFileSync(path, 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));

  const stages = [];
  for (const line of lines) {
    const { instruction, rest } = /^(?<instruction>[A-Z]+) +(?<rest>.+)$/.exec(line).groups;
    if (instruction === 'FROM') stages.push({ ...readFrom(rest), instructions: [] });
    else stages.at(-1).instructions.push({ instruction, ...readFlags(rest) });
  }
  return stages;
}

/** A command in exec form. Throws for shell form: a shell between Docker and Node keeps the signals to itself. */
export function readExecForm(command) {
  if (!command.startsWith('[')) throw new Error(`not in exec form: ${command}`);
  return JSON.parse(command);
}

/** The top-level entries that a .dockerignore which begins with `*` lets in. */
export function readAllowed(path) {
  const [first, ...entries] = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (first !== '*') throw new Error(`${path} must begin with *`);
  return entries.map((entry) => entry.replace(/^!/, ''));
}

function readFrom(rest) {
  const [base, , name = 'final'] = rest.split(/ +/);
  return { base, name };
}

/** Splits `--from=build /app/dist ./dist` into its flags and its arguments. */
function readFlags(rest) {
  const flags = {};
  const args = rest.replace(/^(--\S+ +)+/, (matched) => {
    for (const [, name, value] of matched.matchAll(/--([\w-]+)=(\S+)/g)) flags[name] = value;
    return '';
  });
  return { flags, args };
}
