import config from '../../jest.config.js';
import { findChromium } from './find-chromium.js';

// Once, before any test starts; the workers inherit it.
process.env.CHROMIUM_PATH = findChromium();

/** @type {import('jest').Config} */
export default {
  ...config,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: [...config.setupFilesAfterEnv, '<rootDir>/test/setup/each-story.ts'],
  reporters: ['default'],
  verbose: true,
  // One more than the two cores they are made for, as a story waits for its page now and then.
  maxWorkers: 3,
  testTimeout: 60_000,
};
