import { assemble } from './contenders.js';
import * as coldStart from './parts/cold-start.js';
import * as deliveries from './parts/deliveries.js';
import * as enumeration from './parts/enumeration.js';
import * as events from './parts/events.js';
import * as growth from './parts/growth.js';
import * as lastSeen from './parts/last-seen.js';
import * as logins from './parts/logins.js';
import * as memory from './parts/memory.js';
import * as prune from './parts/prune.js';
import * as sessionCheck from './parts/session-check.js';
import * as underLogins from './parts/under-logins.js';
import * as verify from './parts/verify.js';
import * as workers from './parts/workers.js';
import { Postgres } from './postgres.js';
import { report } from './progress.js';
import { compareRatios } from './ratios.js';
import { writeReport } from './report/write-report.js';
import { FULL, QUICK } from './sizes.js';

/** What is measured, in this order. A part measures, reports what it found in lines of text, and knows its goals. */
const PARTS = {
  'session-check': sessionCheck,
  verify,
  workers,
  'cold-start': coldStart,
  memory,
  'last-seen': lastSeen,
  logins,
  'under-logins': underLogins,
  growth,
  prune,
  events,
  deliveries,
  enumeration,
};

/** The parts that make databases of their own, and compare nothing with the other contenders. */
const ALONE = ['growth', 'prune', 'events', 'deliveries', 'enumeration'];
/** The parts that look at the service only. */
const OF_THE_SERVICE = [...ALONE, 'last-seen'];
const THE_SERVICE = { contenders: [], leftOut: [] };

export async function bench({ quick, only, peers, out, ratios, accept }) {
  const names = only?.split(',') ?? (ratios ? [] : Object.keys(PARTS));
  const sizes = quick ? QUICK : FULL;
  const postgres = await Postgres.start(report);
  process.once('SIGINT', () => postgres.stop().finally(() => process.exit(130)));

  try {
    const isAlone = !ratios && names.every((name) => ALONE.includes(name));
    const { contenders, leftOut } = isAlone
      ? THE_SERVICE
      : await assemble({
          postgres,
          sizes,
          bareNest: !names.every((name) => OF_THE_SERVICE.includes(name)),
          peers,
          report,
        });
    if (ratios) await compareRatios({ postgres, sizes, contenders, report, accept });
    const found = [];
    try {
      for (const name of names) {
        const result = await PARTS[name].measure({ postgres, sizes, contenders, report });
        found.push({ part: PARTS[name], result });
      }
    } finally {
      // What was measured before a part failed took minutes.
      if (found.length > 0) await writeReport({ found, leftOut, quick, out });
    }
  } finally {
    await postgres.stop();
  }
}
