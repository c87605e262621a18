import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { portFinding } from '../../src/http/port-finding.js';

/** What an operator is told of an address that the service cannot listen at. */
async function findingAt(host: string, port: number) {
  const error = await once(createServer().listen(port, host), 'error').then(([error]) => error);
  return findingOf(error, host, port);
}

function findingOf(error: unknown, host: string, port: number) {
  const environment = { ...parseEnvironment({ SVC_ENVIRONMENT: 'dev' }), host, port };
  return portFinding(error, environment);
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as { port: number }).port };
}

describe('an address that the service cannot listen at', () => {
  it('is taken by another process', async () => {
    const { server, port } = await listening();
    expect(await findingAt('127.0.0.1', port)).toEqual({
      code: 'PORT_TAKEN',
      severity: 'error',
      text: `Another process listens at 127.0.0.1:${port}.`,
      fix: 'Stop it, or set SVC_PORT.',
    });
    server.close();
  });

  it.each(['192.0.2.1', 'service.invalid'])('is %s, which is not of this machine', async (host) => {
    expect(await findingAt(host, 3000)).toMatchObject({
      code: 'HOST_NOT_HERE',
      text: `This machine has no address "${host}", which SVC_HOST names.`,
    });
  });

  it('has a port that this user may not have', () => {
    // Root, which runs the tests in a container, may have each port.
    const error = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    expect(findingOf(error, '127.0.0.1', 80)).toMatchObject({ code: 'PORT_NOT_ALLOWED' });
  });

  it('is nothing an operator mends when the error is another one', () => {
    expect(findingOf(new Error('what'), '127.0.0.1', 80)).toBeNull();
  });
});
