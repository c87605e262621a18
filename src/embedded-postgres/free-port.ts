import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine that nobody listens on now. Whoever takes it must be ready to find it taken after all. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
