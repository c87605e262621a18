import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { clientContract } from '../../docs/contract-types.js';

describe('src/client/contract.ts', () => {
  it('is what npm run contract writes', async () => {
    expect(readFileSync('src/client/contract.ts', 'utf8') === (await clientContract())).toBe(true);
  });
});
