import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** By how many milliseconds the answers of PostgreSQL are late, on one connection after the other. */
const LATE_MS = [0, 40, 10, 80, 20];

/** A way to the database on which some connections are slower than others, so that answers overtake each other. */
export class UnevenLine {
  private readonly sockets = new Set<Socket>();
  private connections = 0;

  private readonly server = createServer((client) => {
    const lateMs = LATE_MS[this.connections++ % LATE_MS.length];
    const { hostname, port } = new URL(this.databaseUrl);
    const database = connect(Number(port), hostname);
    client.pipe(database);
    database.on('data', (chunk) => setTimeout(() => client.write(chunk), lateMs));
    database.on('close', () => client.destroy());
    for (const socket of [client, database]) this.sockets.add(socket.on('error', () => {}));
  });

  private constructor(private readonly databaseUrl: string) {}

  static async to(databaseUrl: string): Promise<UnevenLine> {
    const line = new UnevenLine(databaseUrl);
    await once(line.server.listen(0, '127.0.0.1'), 'listening');
    return line;
  }

  /** What to connect to instead of the database. */
  get url(): string {
    const url = new URL(this.databaseUrl);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }
}
