import config from '../jest.config.js';

/**
 * What takes processes, replicas, volume, many tries or cases, real time or long stories. npm run test:deep builds first, because the processes
 * run the build. @type {import('jest').Config}
 */
export default {
  ...config,
  rootDir: '..',
  // Two more than the two cores they are made for, as each of them waits for processes and time limits now and then.
  maxWorkers: 4,
  testTimeout: 180_000,
  testMatch: ['<rootDir>/test/**/*.deep.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/system/faults/', '<rootDir>/test/browser/'],
  reporters: [
    'default',
    ['<rootDir>/test/setup/contract-reporter.js', { after: 'test', name: 'deep' }],
    '<rootDir>/test/setup/missing-reporter.js',
  ],
};
