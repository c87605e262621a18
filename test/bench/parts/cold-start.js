import { cpuSeconds } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

/** The peers start what else an application loads, each of them other things. */
const NAMES = ['limit', 'nest', 'latchkey'];

/** From the start of a process to its first answer, by contender, in alternated rounds. */
export function measure({ sizes, contenders, report }) {
  const entries = contenders.filter(({ name }) => NAMES.includes(name));
  return inRounds(entries, sizes.starts, async (entry, round) => {
    report(`cold start, round ${round} of ${sizes.starts}: ${entry.name}`);
    const server = await Server.start(entry);
    const cpuMs = cpuSeconds(server.pid) * 1000;
    await server.stop();
    return { ms: server.startMs, cpuMs };
  });
}

export function linesOf(turns) {
  const rows = Object.entries(turns).map(([name, starts]) => [
    name,
    typical(starts, 'ms').toFixed(0),
    typical(starts, 'cpuMs').toFixed(0),
  ]);
  return ['Cold start', ...align([['contender', 'ms', 'CPU ms'], ...rows]), ''];
}

/** From Node 24 on the framework starts faster by more than what stands on it. */
const MOST = Number.parseInt(process.versions.node, 10) >= 24 ? 1.6 : 1.5;

export function goals({ latchkey, nest }) {
  return [
    { goal: "cold start, to the bare framework's", is: ratio(latchkey, nest, 'ms'), most: MOST },
    { goal: 'CPU of a cold start, to the same', is: ratio(latchkey, nest, 'cpuMs'), most: MOST },
  ];
}
