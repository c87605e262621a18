import { spawnSync } from 'node:child_process';
import { autocannonLoad } from './load-autocannon.js';
import { wrkLoad } from './load-wrk.js';

/** Of a machine's few cores wrk takes a third of what autocannon does, which two fast contenders would else be equal to. */
export const TOOL = spawnSync('wrk', ['--version']).error ? 'autocannon' : 'wrk';

/**
 * As many requests as a server answers to so many connections in so many seconds, each with one of the cookies; POSTs
 * where there is a body.
 * Returns `{ requests, seconds, p50, p99, errors }`, the percentiles in milliseconds.
 */
export const load = TOOL === 'wrk' ? wrkLoad : autocannonLoad;
