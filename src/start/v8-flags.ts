import { setFlagsFromString } from 'node:v8';

/**
 * Set from within, and not on the command line: there a newer Node that no longer knows a flag would refuse to start. Here
 * V8 names it on standard error, and goes on. The size of young objects comes too late here: the image alone sets it, in
 * the Dockerfile, next to the version of Node that it runs.
 */
const FLAGS = [
  // V8 learns that the rows of session checks live long, though they do not, and allocates them in the old generation,
  // which only a full collection empties: 216 MB under load in place of 173, and a fifth more processor time.
  '--no-allocation-site-pretenuring',
  // While Maglev's code answers session checks, as on Node 24, their rows are carried into the old generation too: 202 MB
  // under load in place of 177, in the same processor time.
  '--no-maglev',
];

for (const flag of FLAGS) setFlagsFromString(flag);
