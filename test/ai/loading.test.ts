import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { AiStandIn } from '../support/ai-stand-in.js';
import type { Browser } from '../support/browser.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestApp } from '../support/test-app.js';

let ai: AiStandIn;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  ai = await AiStandIn.start();
  app = await TestApp.start();
  browser = await loggedIn(app);
});
afterAll(async () => {
  await app.close();
  await ai.close();
});

/** The files of the provider's client that a service has run when it ends, as V8 counts them for coverage. */
async function clientFilesOf(
  variables: Record<string, string>,
  use: (service: ServiceProcess) => Promise<unknown>,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-loading-'));
  const service = await ServiceProcess.start(app.database, { ...variables, NODE_V8_COVERAGE: folder });
  await use(service);
  service.child.kill('SIGTERM');
  await once(service.child, 'exit');

  const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  rmSync(folder, { recursive: true });
  const files: string[] = reports.flatMap(({ result }) => result.map(({ url }: { url: string }) => url));
  expect(files.some((file) => file.endsWith('/dist/src/ai/language-model.js'))).toBe(true);
  return files.filter((file) => file.includes('/node_modules/openai/'));
}

/** Asks for a summary, and returns the status of the answer. */
async function ask({ port }: ServiceProcess): Promise<number> {
  const cookie = `session_id=${browser.jar.get('session_id')}`;
  const headers = { cookie, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/ai/activity-summary`;
  return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
}

describe('the client of the AI provider', () => {
  it('is not loaded without a key, even when somebody asks', async () => {
    expect(await clientFilesOf({}, async (service) => expect(await ask(service)).toBe(404))).toEqual([]);
  });

  it('is not loaded, and the provider not asked, before somebody does', async () => {
    const loaded = await clientFilesOf(ai.variables, ({ port }) =>
      fetch(`http://127.0.0.1:${port}/health/ready`),
    );

    expect(loaded).toEqual([]);
    expect(ai.requests).toEqual([]);
  });

  it('is loaded for the first who asks', async () => {
    const loaded = await clientFilesOf(ai.variables, async (service) => expect(await ask(service)).toBe(200));

    expect(loaded).not.toEqual([]);
  });
});
