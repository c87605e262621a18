/** @type {import('jest').Config} */
export default {
  runner: '<rootDir>/test/setup/runner/runner.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Some take minutes, others need Chromium: npm run test:faults, npm run test:browser.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/', '<rootDir>/test/browser/'],
  setupFilesAfterEnv: ['<rootDir>/test/setup/each-file.ts'],
  globalSetup: '<rootDir>/test/setup/start-postgres.js',
  reporters: [
    'default',
    '<rootDir>/test/setup/contract-reporter.js',
    '<rootDir>/test/setup/skipped-reporter.js',
    '<rootDir>/test/setup/missing-reporter.js',
  ],
  globalTeardown: '<rootDir>/test/setup/stop-postgres.js',
  testTimeout: 30_000,
  maxWorkers: 2,
};
