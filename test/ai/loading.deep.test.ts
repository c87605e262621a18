import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { AiStandIn } from '../support/ai-stand-in.js';
import type { Browser } from '../support/browser.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestApp } from '../support/test-app.js';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-loads-'));
const noted = join(folder, 'noted');
const started: ServiceProcess[] = [];

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
  rmSync(folder, { recursive: true });
});
afterEach(() => Promise.all(started.splice(0).map((service) => service.kill())));

/** A service that notes which modules it loads. */
async function startNoting(variables: Record<string, string>): Promise<ServiceProcess> {
  rmSync(noted, { force: true });
  const service = await ServiceProcess.start(app.database, {
    ...variables,
    NODE_OPTIONS: '--import ./test/setup/note-loads.js',
    LATCHKEY_TEST_LOADS: noted,
  });
  started.push(service);
  return service;
}

/** Asks for a summary, and returns the status of the answer. */
async function ask({ port }: ServiceProcess): Promise<number> {
  const cookie = `session_id=${browser.jar.get('session_id')}`;
  const headers = { cookie, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/ai/activity-summary`;
  return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
}

const hasLoaded = (path: string) => readFileSync(noted, 'utf8').includes(path);

describe('the client of the AI provider', () => {
  it('is not loaded without a key, even when a client asks', async () => {
    const service = await startNoting({});

    expect(await ask(service)).toBe(404);
    expect(hasLoaded('/dist/main.js')).toBe(true);
    expect(hasLoaded('/node_modules/openai/')).toBe(false);
  });

  it('is loaded at the first request, and sends the provider nothing before', async () => {
    const service = await startNoting(ai.variables);
    const beforehand = { loaded: hasLoaded('/node_modules/openai/'), requests: ai.requests.length };

    expect(await ask(service)).toBe(200);
    expect(beforehand).toEqual({ loaded: false, requests: 0 });
    expect(hasLoaded('/node_modules/openai/')).toBe(true);
  });
});
