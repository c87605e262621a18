// All that the tests of a product may import from `latchkey/testing`; docs/testing.md shows how. No file that a service
// in production loads imports this one.

export { type StorageState, TestBrowser, type TestMail } from './client/testing.js';
export type { Seed, UserToSeed } from './testing/seed.js';
export { startTest, type TestOptions, type TestService } from './testing/start-test.js';
export type { TestMailbox } from './testing/test-mailbox.js';
export type { SeededUser, TestUser } from './testing/test-user.js';
