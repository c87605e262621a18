import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

/** From the start of a process to its first answer, by contender, in alternated rounds. */
export function measure({ sizes, contenders, report }) {
  return inRounds(contenders, sizes.starts, async (entry, round) => {
    report(`cold start, round ${round} of ${sizes.starts}: ${entry.name}`);
    const server = await Server.start(entry);
    await server.stop();
    return { ms: server.startMs };
  });
}

export function linesOf(turns) {
  const rows = Object.entries(turns).map(([name, starts]) => [name, typical(starts, 'ms').toFixed(0)]);
  return ['Cold start', ...align([['contender', 'ms'], ...rows]), ''];
}

/** From Node 24 on the framework starts faster by more than what stands on it. */
const MOST = Number.parseInt(process.versions.node, 10) >= 24 ? 1.6 : 1.5;

export function goals({ latchkey, nest }) {
  return [{ goal: "cold start, to the bare framework's", is: ratio(latchkey, nest, 'ms'), most: MOST }];
}
