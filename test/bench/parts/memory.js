import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { residentBytes } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

const CHECKS = 100_000;
const CONNECTIONS = 16;

/** Those that answer so many checks within seconds. What the peers hold is in the table of the session check. */
const NAMES = ['limit', 'nest', 'latchkey'];

/** From Node 24 on the young generation grows to four times as much where nothing limits it, and a ratio says little. */
const IS_NODE_24 = Number.parseInt(process.versions.node, 10) >= 24;
const MOST_MB = 240;
const MOST_TO_LIMIT = 1.6;

/** Megabytes that a process holds once it is started, and after 100,000 checks: as much as its garbage collector left. */
export async function measure({ sizes, contenders, report }) {
  const entries = contenders.filter(({ name }) => NAMES.includes(name));
  return inRounds(entries, sizes.memoryRounds, async (entry, round) => {
    report(`memory after ${CHECKS} checks, round ${round} of ${sizes.memoryRounds}: ${entry.name}`);
    const server = await Server.start(entry);
    const startedMb = megabytes(server);
    await checkUntil(CHECKS, server, cookiesOf(entry.contender, { last: sizes.sessions }));
    const loadedMb = megabytes(server);
    await server.stop();
    return { startedMb, loadedMb };
  });
}

export function linesOf(found) {
  const rows = Object.entries(found).map(([name, own]) => [
    name,
    typical(own, 'startedMb').toFixed(0),
    typical(own, 'loadedMb').toFixed(0),
    ratio(own, found.limit, 'loadedMb').toFixed(2),
  ]);
  return [
    `Memory in MB, started and after ${CHECKS} checks`,
    ...align([['contender', 'started', 'after', 'to limit'], ...rows]),
    '',
  ];
}

export function goals({ latchkey, limit }) {
  return IS_NODE_24
    ? [{ goal: 'memory after 100,000 checks, MB', is: typical(latchkey, 'loadedMb'), most: MOST_MB }]
    : [
        {
          goal: "memory after 100,000 checks, to the limit's",
          is: ratio(latchkey, limit, 'loadedMb'),
          most: MOST_TO_LIMIT,
        },
      ];
}

async function checkUntil(checks, { url }, cookies) {
  for (let done = 0; done < checks; )
    done += (await load({ url, cookies, connections: CONNECTIONS, seconds: 1 })).requests;
}

function megabytes({ pid }) {
  return residentBytes(pid) / 1024 ** 2;
}
