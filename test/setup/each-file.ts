import { afterEach } from '@jest/globals';
import fc from 'fast-check';
import { takeFaults } from '../support/contract.js';

// What the OpenAPI document does not promise fails the test in which it was answered.
afterEach(() => {
  const found = takeFaults();
  if (found.length > 0) throw new Error(found.join('\n'));
});

// The gate fixes what property tests choose at random; a failing one prints its seed.
if (process.env.LATCHKEY_TEST_SEED !== undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.LATCHKEY_TEST_SEED) });
