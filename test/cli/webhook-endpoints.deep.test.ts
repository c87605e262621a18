import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { BackEnd } from '../support/back-end.js';
import { runProgram } from '../support/command-line.js';
import { webhooks } from '../support/webhooks.js';

let backEnd: BackEnd;
beforeAll(async () => {
  backEnd = await BackEnd.start();
});
afterAll(() => backEnd.close());

const cli = (...words: string[]) => {
  const { url, secrets } = backEnd;
  return runProgram('cli', ['webhook', ...words], {
    SVC_ENVIRONMENT: 'dev',
    ...webhooks({ name: 'product', url, secrets, types: ['org.*'] }),
  });
};

describe('webhook secret', () => {
  it('prints a secret that an endpoint may have, another one each time', async () => {
    const secrets = (await Promise.all([cli('secret'), cli('secret')])).map(({ lines }) => lines.join());

    expect(parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...webhooks({ secrets }) }).webhooks).toMatchObject([
      { secrets },
    ]);
    expect(secrets[0]).not.toBe(secrets[1]);
  });
});

describe('webhook test', () => {
  it('sends an endpoint a signed event, whatever types it wants, and tells status and time', async () => {
    const { code, output } = await cli('test', 'product');

    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/^product answered 204 after \d+ ms\.\n$/),
    });
    expect(backEnd.events).toMatchObject([{ type: 'webhook.test', data: {} }]);
  });

  it('fails with the status of an endpoint that takes no event, and tells no secret', async () => {
    backEnd.answerWith((response) => response.writeHead(500).end('why'));
    const { code, output } = await cli('test', 'product');

    expect(code).toBe(1);
    expect(output).toMatch(/product took no event: the endpoint answered 500, after \d+ ms\./);
    expect(output).not.toContain(backEnd.secrets[0]?.slice(6));
  });

  it('fails for an endpoint that is not set', async () => {
    expect(await cli('test', 'crm')).toMatchObject({
      code: 1,
      output: expect.stringContaining('SVC_WEBHOOKS has no endpoint crm.'),
    });
  });
});
