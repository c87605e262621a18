import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs } from '../support/accounts.js';
import type { Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start();
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

describe('an answer that is compressed', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('is a long one, for a browser that takes %s', async (accepted, coding, unpacked) => {
    const plain = await send('GET', '/system');
    const packed = await send('GET', '/system', accepted);

    expect(packed.headers).toMatchObject({
      'content-encoding': coding,
      'content-length': String(packed.rawPayload.length),
      vary: expect.stringMatching(/accept-encoding/i),
      'cache-control': 'no-store',
    });
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(Object.keys(JSON.parse(String(unpacked(packed.rawPayload))).system)).toEqual(
      Object.keys(plain.json().system),
    );
  });

  it('has no body for HEAD, which names no other length than GET', async () => {
    const { headers, rawPayload } = await send('HEAD', '/system', 'br');

    expect(headers['content-length']).toBeUndefined();
    expect(rawPayload).toHaveLength(0);
  });

  it.each([undefined, 'identity', 'br;q=0'])('is none where the client says %s', async (accepted) => {
    const { headers } = await send('GET', '/system', accepted);

    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each(['/users/me', '/mails/states', '/orgs', '/users/export', '/openapi.json'])(
    'is not that of %s, which is short, a file, or not marked for it',
    async (path) => {
      const { headers, statusCode } = await send('GET', path, 'br');

      expect([statusCode, headers['content-encoding']]).toEqual([200, undefined]);
    },
  );
});

function send(method: 'GET' | 'HEAD', url: string, accepted?: string) {
  const cookie = [...admin.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  return app.nest.inject({
    method,
    url,
    headers: { host: 'localhost:3000', cookie, ...(accepted && { 'accept-encoding': accepted }) },
  });
}
