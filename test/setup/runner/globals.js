// What tests import from @jest/globals.
import { jestExpect } from '@jest/expect';
import { getState, setState } from 'jest-circus';
import { fn, ModuleMocker } from 'jest-mock';

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';

export const expect = jestExpect;

const mocker = new ModuleMocker(globalThis);

export const jest = {
  fn,
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  setTimeout: (testTimeout) => setState({ ...getState(), testTimeout }),
};
