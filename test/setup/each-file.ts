import { afterEach } from '@jest/globals';
import { takeFaults } from '../support/hold-to-contract.js';

// What the OpenAPI document does not promise fails the test in which it was answered.
afterEach(() => {
  const found = takeFaults();
  if (found.length > 0) throw new Error(found.join('\n'));
});
