import { describe, expect, it } from '@jest/globals';
import { startTest } from '../../src/testing.js';

describe('startTest without the address of a server', () => {
  it('starts a PostgreSQL of its own, which two tests of a process may share', async () => {
    const [first, second] = await Promise.all([
      startTest({}, { databaseUrl: undefined }),
      startTest({}, { databaseUrl: undefined }),
    ]);
    try {
      const ada = await first.seed.user({ email: 'ada@example.com' });
      const other = await second.seed.user({ email: 'ada@example.com' });

      expect((await ada.latchkey.me()).user.id).toBe(ada.id);
      expect(other.id).not.toBe(ada.id);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});
