import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { residentBytes } from '../processes.js';
import { align } from '../report/align.js';
import { Server } from '../server.js';

const CHECKS = 100_000;
const CONNECTIONS = 16;

/** Those that answer so many checks within seconds. What the peers hold is in the table of the session check. */
const NAMES = ['limit', 'nest', 'latchkey'];

/** From Node 24 on the young generation grows to four times as much where nothing limits it, and a ratio says little. */
const IS_NODE_24 = Number.parseInt(process.versions.node, 10) >= 24;
const MOST_MB = 240;
const MOST_TO_LIMIT = 1.6;

/** Megabytes that a process holds once it is started, and after 100,000 checks. */
export async function measure({ sizes, contenders, report }) {
  const found = {};
  for (const entry of contenders.filter(({ name }) => NAMES.includes(name))) {
    report(`memory after ${CHECKS} checks: ${entry.name}`);
    const server = await Server.start(entry);
    const startedMb = megabytes(server);
    await checkUntil(CHECKS, server, cookiesOf(entry.contender, { last: sizes.sessions }));
    found[entry.name] = { startedMb, loadedMb: megabytes(server) };
    await server.stop();
  }
  return found;
}

export function linesOf(found) {
  const rows = Object.entries(found).map(([name, { startedMb, loadedMb }]) => [
    name,
    startedMb.toFixed(0),
    loadedMb.toFixed(0),
    (loadedMb / found.limit.loadedMb).toFixed(2),
  ]);
  return [
    `Memory in MB, started and after ${CHECKS} checks`,
    ...align([['contender', 'started', 'after', 'to limit'], ...rows]),
    '',
  ];
}

export function goals({ latchkey, limit }) {
  const toLimit = latchkey.loadedMb / limit.loadedMb;
  return IS_NODE_24
    ? [{ goal: 'memory after 100,000 checks, MB', is: latchkey.loadedMb, most: MOST_MB }]
    : [{ goal: "memory after 100,000 checks, to the limit's", is: toLimit, most: MOST_TO_LIMIT }];
}

async function checkUntil(checks, { url }, cookies) {
  for (let done = 0; done < checks; )
    done += (await load({ url, cookies, connections: CONNECTIONS, seconds: 1 })).requests;
}

function megabytes({ pid }) {
  return residentBytes(pid) / 1024 ** 2;
}
