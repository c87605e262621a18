import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

/** What the page loads, beside the client's package that it leads to (test/client/package.deep.test.ts). */
const LOADED = /(?:src|href)="([^"]*)(?<!\.tgz)"/g;

const PATHS = ['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js'];

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await TestDatabase.create();
  app = await TestApp.start({}, { database });
});
afterAll(() => app.close());

describe('the documentation', () => {
  it.each([
    ['dev', 'unset', 200],
    ['beta', 'unset', 200],
    ['prod', 'unset', 404],
    ['staging', 'unset', 404],
    ['prod', 'on', 200],
    ['dev', 'off', 404],
  ])('in %s with SVC_DOCS %s answers %d', async (environment, docs, status) => {
    const settings = {
      SVC_ENVIRONMENT: environment,
      SVC_BASE_WEB_URL: 'https://app.example.com',
      ...(docs !== 'unset' && { SVC_DOCS: docs }),
    };
    const other = await TestApp.start(settings, { database });
    const answers = await Promise.all(PATHS.map((path) => other.browser().get(path)));
    const unknown = await other.browser().get('/no-such-path');
    await other.nest.close();

    for (const answer of answers) {
      expect(answer.status).toBe(status);
      if (status === 404)
        expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    }
  });
});

describe('GET /docs', () => {
  it('loads only what the service serves itself, and runs nothing inline', async () => {
    const { text, headers } = await app.browser().get('/docs');
    const addresses = [...text.matchAll(LOADED)].map(([, address = '']) => address);

    expect(addresses).toHaveLength(4);
    for (const address of addresses) {
      const { pathname, search } = new URL(address, 'http://localhost:3000/docs');
      const answer = await app.browser().get(pathname + search);
      expect([address, answer.status]).toEqual([address, 200]);
    }
    expect(text).not.toMatch(/https?:|<script>|<style|style=/);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('names a version with every file that a browser may keep', async () => {
    const { text } = await app.browser().get('/docs');

    for (const [, address = ''] of text.matchAll(LOADED)) {
      const { headers } = await app.browser().get(`/${address}`);
      const isKept = headers['cache-control'] === 'public, max-age=31536000, immutable';
      expect([address, isKept]).toEqual([address, /\?v=\d+\.\d+\.\d+$/.test(address)]);
    }
  });
});

describe('GET /docs/start.js', () => {
  it.each([
    ['on', '["get","post","patch","delete"]'],
    ['off', '["get"]'],
  ])('with SVC_PAGES %s lets the reader try %s', async (pages, methods) => {
    const other = await TestApp.start({ SVC_PAGES: pages }, { database });
    const { text } = await other.browser().get('/docs/start.js');
    await other.nest.close();

    expect(text).toContain(`supportedSubmitMethods: ${methods}`);
  });
});
