import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from moving the rows of session checks, which it comes to take for long-lived, straight to the old
 * generation, which only a full garbage collection empties: under load that made 280 MB of 160, and slowed some
 * answers down.
 */
setFlagsFromString('--no-allocation-site-pretenuring');
