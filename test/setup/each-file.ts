import { afterEach } from '@jest/globals';
import fc from 'fast-check';
import { takeFaults } from '../support/contract.js';
import { takeLogFaults } from '../support/log-lines.js';

// What the OpenAPI document does not promise, or the table of log lines does not list, fails the test in which it came.
afterEach(() => {
  const found = [...takeFaults(), ...takeLogFaults()];
  if (found.length > 0) throw new Error(found.join('\n'));
});

// The gate fixes what property tests choose at random; a failing one prints its seed.
if (process.env.LATCHKEY_TEST_SEED !== undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.LATCHKEY_TEST_SEED) });
