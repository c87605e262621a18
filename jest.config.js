/** @type {import('jest').Config} */
export default {
  runner: '<rootDir>/test/setup/runner/runner.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // npm run test:deep has what takes long, test:faults what takes minutes, test:browser what needs Chromium.
  testPathIgnorePatterns: [
    '/node_modules/',
    '\\.deep\\.test\\.ts$',
    '<rootDir>/test/system/faults/',
    '<rootDir>/test/browser/',
  ],
  setupFilesAfterEnv: ['<rootDir>/test/setup/each-file.ts'],
  globalSetup: '<rootDir>/test/setup/start-postgres.js',
  reporters: [
    'default',
    ['<rootDir>/test/setup/contract-reporter.js', { name: 'test' }],
    '<rootDir>/test/setup/skipped-reporter.js',
    '<rootDir>/test/setup/missing-reporter.js',
  ],
  globalTeardown: '<rootDir>/test/setup/stop-postgres.js',
  // Only for what hangs: a busy machine takes several times as long as another.
  testTimeout: 60_000,
  // Two more than the two cores they are made for, as a test waits for PostgreSQL and for mails half of its time.
  maxWorkers: 4,
};
