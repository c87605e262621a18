import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection that is forwarded, and what came over it last. */
interface Line {
  near: Socket;
  far: Socket;
  lastWords: string;
}

/** Forwards TCP connections to one port of loopback, as HAProxy does to the primary of a cluster, and breaks them. */
export class Forwarder {
  private readonly server = createServer((socket) => this.forward(socket));
  private readonly sockets = new Set<Socket>();
  private readonly lines = new Set<Line>();
  private isSilenced = (_: Line) => false;

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

  /**
   * Swallows all that comes after a word, on connections that have said it last or will say it, and tells neither
   * end: so does a firewall that drops a connection nobody used for long. Without a word, forwards again.
   */
  silenceAfter(word: string | null): void {
    this.isSilenced = ({ lastWords }) => word !== null && lastWords.includes(word);
    for (const line of this.lines) this.swallow(line);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(near: Socket): void {
    const far = connect(this.port, '127.0.0.1');
    const line = { near, far, lastWords: '' };
    this.lines.add(line);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        this.lines.delete(line);
        other.destroy();
      });
    }
    near.on('data', (words) => {
      line.lastWords = String(words);
      this.swallow(line);
    });
  }

  private swallow(line: Line): void {
    if (!this.isSilenced(line)) return;
    for (const socket of [line.near, line.far]) socket.unpipe().pause();
  }
}
