import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough, Transform } from 'node:stream';

/** A connection that is forwarded, and what the client said on it last. */
interface Line {
  near: Socket;
  far: Socket;
  lastWords: string;
  isAnswered: boolean;
}

/** How PostgreSQL says, before the state of the transaction, that it waits for the next statement. */
const READY = 'Z\0\0\0\x05';

/** By how many milliseconds the answers of PostgreSQL are late, on one connection after the other. */
const LATE_MS = [0, 40, 10, 80, 20];

/**
 * Forwards TCP connections to one port of loopback, as HAProxy does to the primary of a cluster, and breaks or delays
 * them.
 */
export class Forwarder {
  private readonly server = createServer((socket) => this.forward(socket));
  private readonly sockets = new Set<Socket>();
  private readonly lines = new Set<Line>();
  private connections = 0;
  private turns = 0;
  private isSilenced = (_: Line) => false;

  private constructor(
    private port: number,
    private readonly lateMs: number[],
  ) {}

  /** With `isUneven`, some connections are slower than others, so that answers overtake each other. */
  static async to(port: number, { isUneven = false } = {}): Promise<Forwarder> {
    const forwarder = new Forwarder(port, isUneven ? LATE_MS : [0]);
    await once(forwarder.server.listen(0, '127.0.0.1'), 'listening');
    return forwarder;
  }

  /** The address of a database, by way of the forwarder. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** How often PostgreSQL was asked meanwhile while it answered nothing else: what is asked together counts once. */
  async roundTripsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = this.turns;
    await work();
    return this.turns - before;
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
   * Swallows all that comes after a word, on connections that have said it last or will say it, and closes neither
   * end: so does a firewall that drops an idle connection. Without a word, forwards new connections again.
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
    const line = { near, far, lastWords: '', isAnswered: true };
    this.lines.add(line);
    near.pipe(far);
    far.pipe(late(this.lateMs[this.connections++ % this.lateMs.length] ?? 0)).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        this.lines.delete(line);
        other.destroy();
      });
    }
    far.on('data', (words) => {
      if (words.subarray(-6, -1).toString('latin1') === READY) line.isAnswered = true;
    });
    near.on('data', (words) => {
      if ([...this.lines].every(({ isAnswered }) => isAnswered)) this.turns += 1;
      line.isAnswered = false;
      line.lastWords = String(words);
      this.swallow(line);
    });
  }

  private swallow(line: Line): void {
    if (!this.isSilenced(line)) return;
    for (const socket of [line.near, line.far]) socket.unpipe().pause();
  }
}

/** What passes through comes out so much later. */
function late(lateMs: number): Transform {
  if (lateMs === 0) return new PassThrough();
  return new Transform({
    transform: (chunk, _encoding, pass) => void setTimeout(() => pass(null, chunk), lateMs),
  });
}
