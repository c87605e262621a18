import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';

const SSL_REQUEST = 80_877_103;
const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));

/** What speaks as much of PostgreSQL's protocol as a client needs to log in. */
export class PostgresStandIn {
  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
  ) {}

  /** The parameters are those that PostgreSQL reports, such as `server_version`. */
  static async start(parameters: Record<string, string> = {}): Promise<PostgresStandIn> {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'elsewhere' }], {
      keyType: 'ec',
      algorithm: 'sha256',
    });
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', (first) => {
        if (first.readInt32BE(4) !== SSL_REQUEST) return logIn(socket, parameters);
        socket.write('S');
        const encrypted = new TLSSocket(socket, { isServer: true, key, cert });
        encrypted.on('error', () => {});
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new PostgresStandIn(server, sockets);
  }

  get url(): string {
    return `postgres://latchkey@127.0.0.1:${(this.server.address() as AddressInfo).port}/latchkey`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }
}

function logIn(socket: Socket, parameters: Record<string, string>): void {
  socket.write(AUTHENTICATED);
  for (const [name, value] of Object.entries(parameters))
    socket.write(message('S', Buffer.from(`${name}\0${value}\0`)));
  socket.write(READY);
}

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
