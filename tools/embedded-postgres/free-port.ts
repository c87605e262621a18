import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine that no program listens on now; another one may still take it before the caller does. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
