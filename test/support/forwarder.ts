import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards TCP connections to one port of loopback, as HAProxy does to the primary of a cluster, and breaks them. */
export class Forwarder {
  private readonly server = createServer((socket) => this.forward(socket));
  private readonly sockets = new Set<Socket>();

  private constructor(private port: number) {}

  static async to(port: number): Promise<Forwarder> {
    const forwarder = new Forwarder(port);
    await once(forwarder.server.listen(0, '127.0.0.1'), 'listening');
    return forwarder;
  }

  /** The address of a database, by way of the forwarder. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Leads to another port from now on, and cuts off what led to the first. */
  switchTo(port: number): void {
    this.port = port;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Breaks off what goes through with a reset, as a firewall does that has forgotten the connections. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(near: Socket): void {
    const far = connect(this.port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
