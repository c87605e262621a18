import { parseArgs } from 'node:util';
import { installPeers } from './install-peers.js';
import { report } from './progress.js';

// The bench is JavaScript: Node 20 runs no TypeScript, and the compiler would ask for the peers' types before they are installed.

const { values } = parseArgs({
  allowNegative: true,
  options: {
    /** Smaller tables and shorter rounds: two minutes, to see that all is well, not to quote. */
    quick: { type: 'boolean', default: false },
    /** Only these parts, separated by commas. */
    only: { type: 'string' },
    /** With --no-peers, only the service, bare Nest and the practical limit. */
    peers: { type: 'boolean', default: true },
    /** Compares the session check with the committed ratios, and fails where it is worse by a fifth; other parts only by name. */
    ratios: { type: 'boolean', default: false },
    /** Writes the ratios instead of comparing them. */
    accept: { type: 'boolean', default: false },
    /** Where the table and the chart go. */
    out: { type: 'string', default: 'test/bench/results' },
  },
});

await installPeers(report);
// Loaded only now: it imports what has just been installed.
const { bench } = await import('./bench.js');
await bench(values);
