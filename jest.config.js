/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Some take minutes, others need Chromium: npm run test:faults, npm run test:browser.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/', '<rootDir>/test/browser/'],
  extensionsToTreatAsEsm: ['.ts'],
  // The sources import each other as Node will find them, with .js; Jest reads the .ts beside it.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
      },
    ],
  },
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
