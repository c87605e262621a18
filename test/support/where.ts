import { describe, it } from '@jest/globals';

// Tests of what not every machine has. Where it is missing they are skipped, and the run names them at its end
// (test/setup/missing-reporter.js). The gate installs the programs (.ci/install-programs).

export const describeWhere = (isThere: boolean) => (isThere ? describe : describe.skip);

export const itWhere = (isThere: boolean) => (isThere ? it : it.skip);
