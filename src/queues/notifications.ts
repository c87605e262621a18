import pg from 'pg';
import { CONNECT_TIMEOUT_MS } from '../database/pool.js';
import { within } from '../database/time-limit.js';

const LISTEN_TIMEOUT_MS = 3_000;

/** A firewall may have dropped an idle connection without a word to either end, which then waits for the other. */
const CLOSE_TIMEOUT_MS = 1_000;

const RECONNECT_MS = 1_000;

/**
 * Listens to PostgreSQL's NOTIFY on some channels, on a connection of its own. It opens a lost connection again; it has
 * missed what was notified meanwhile, so every channel then counts as notified.
 */
export class Notifications {
  private client: pg.Client | null = null;
  private opening: Promise<void> = Promise.resolve();
  private reconnecting: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly connectionString: string | undefined,
    private readonly channels: string[],
    private readonly onNotify: (channel: string) => void,
  ) {}

  open(): void {
    this.opening = this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.reconnecting);
    await within(CLOSE_TIMEOUT_MS, this.end()).catch(() => {});
  }

  private async end(): Promise<void> {
    await this.opening;
    await this.client?.end();
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.connectionString,
      application_name: 'latchkey notifications',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: LISTEN_TIMEOUT_MS,
      keepAlive: true,
    });
    this.client = client;
    client.on('notification', ({ channel }) => this.onNotify(channel));
    client.on('end', () => this.reconnect());
    // Without a listener the error of a connection that breaks would end the process.
    client.on('error', () => {});

    try {
      await client.connect();
      for (const channel of this.channels) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      for (const channel of this.channels) this.onNotify(channel);
    } catch {
      await client.end().catch(() => {});
      this.reconnect();
    }
  }

  private reconnect(): void {
    if (this.isClosed) return;
    clearTimeout(this.reconnecting);
    this.reconnecting = setTimeout(() => this.open(), RECONNECT_MS);
  }
}
