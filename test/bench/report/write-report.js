import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { TOOL } from '../load.js';
import { chart } from './chart.js';
import { goalTable } from './goal-table.js';

/** Prints what was found, and keeps it as a text and, of the session check, as a chart. */
export async function writeReport({ found, leftOut, quick, out }) {
  const text = [
    ...circumstances(quick),
    ...leftOut.map(({ name, reason }) => `${name} is left out: ${reason}`),
    '',
    ...found.flatMap(({ part, result }) => part.linesOf(result)),
    ...goalTable(
      found.flatMap(({ part, result }) => part.goals(result)),
      quick,
    ),
    '',
  ].join('\n');
  console.log(text);

  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'bench.txt'), text);
  const sessionCheck = found.find(({ result }) => result.found instanceof Map);
  if (sessionCheck) await writeFile(join(out, 'bench.svg'), chart(sessionCheck.result));
}

/** What a reader has to know to judge the figures; those of a busy machine are worth only their ratios. */
function circumstances(quick) {
  const cores = cpus();
  return [
    `${quick ? 'QUICK, not to be quoted. ' : ''}Node ${process.version}, ${cores.length} cores (${cores[0].model.trim()}), load by ${TOOL}.`,
    `Load average of the last 15 minutes, with the bench's own: ${loadavg()[2].toFixed(1)}.`,
  ];
}
