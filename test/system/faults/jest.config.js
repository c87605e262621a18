import config from '../../../jest.config.js';

/** What takes minutes: many replicas, restarts under load, faults. @type {import('jest').Config} */
export default {
  ...config,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/system/faults/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  reporters: ['default', '<rootDir>/test/setup/missing-reporter.js'],
  testTimeout: 600_000,
  maxWorkers: 1,
};
