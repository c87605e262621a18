import { afterEach } from '@jest/globals';
import { takePageFaults } from '../browser/error-lines.js';

// An error in a page fails the story in which it came.
afterEach(() => {
  const found = takePageFaults();
  if (found.length > 0) throw new Error(`The pages have faults: ${found.join('; ')}`);
});
