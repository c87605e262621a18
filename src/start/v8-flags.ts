import { setFlagsFromString } from 'node:v8';

/**
 * V8 learns that the rows of session checks live long, though they do not, and then allocates them in the old
 * generation, which only a full garbage collection empties. Under load a process took 280 MB in place of 160, and some
 * answers were slower. Without this optimisation V8 allocates them among the young.
 */
setFlagsFromString('--no-allocation-site-pretenuring');
