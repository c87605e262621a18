import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { until } from '../support/until.js';
import { newSecret } from '../support/webhooks.js';

/** What the document leaves to its reader; here it says what it keeps, and is down for one version. */
const KEEP = `
  async function keep(...row) {
    if (row[1] === 13) throw new Error('The database is down.');
    console.log(JSON.stringify(row));
  }
`;

describe('the receiver of docs/events.md', () => {
  const secret = newSecret();
  let url: string;
  let receiver: ChildProcess;
  let output = '';
  beforeAll(async () => {
    const port = await findFreePort('127.0.0.1');
    url = `http://127.0.0.1:${port}/`;
    const text = await readFile('docs/events.md', 'utf8');
    const [, code = ''] = /^```js\n([^`]*standardwebhooks[^`]*)^```$/m.exec(text) ?? [];
    const program = KEEP + code.replace('8080', `${port}`);
    receiver = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    receiver.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    await until(() => fetch(url).then(Boolean, () => false));
  });
  afterAll(async () => {
    receiver.kill();
    await once(receiver, 'exit');
  });

  /** The status that answers an event. */
  async function send(data: object, signedWith = secret): Promise<number> {
    const now = new Date();
    const body = JSON.stringify({ type: 'account.updated', timestamp: now, data });
    const headers = {
      'webhook-id': 'a',
      'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
      'webhook-signature': new Webhook(signedWith).sign('a', now, body),
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  const event = (version: number) => ({ user_id: 'ada', version, user: { id: 'ada' } });

  it('keeps the state of a user, and takes what is about none', async () => {
    expect(await send(event(12))).toBe(204);
    await until(() => output === '["ada",12,{"id":"ada"}]\n');
    expect(await send({})).toBe(204);
  });

  it('refuses what its secret has not signed', async () => {
    expect(await send(event(12), newSecret())).toBe(401);
  });

  it('asks for an event again that it cannot keep', async () => {
    expect(await send(event(13))).toBe(503);
  });
});
