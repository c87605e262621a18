import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** An attempt as a receiver saw it. */
export interface Attempt {
  /** The `webhook-id`. */
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a receiver answers, perhaps only after something else. */
interface Answer {
  status: number;
  headers?: Record<string, string>;
  after?: Promise<void>;
}

/**
 * What a receiver does with an attempt: takes the event, answers what a test likes, never answers, closes the
 * connection, does so only after it has taken the event, sends headers or a body without end, or a body of gigabytes.
 */
export type Reaction =
  | 'accept'
  | Answer
  | 'hang'
  | 'hang up'
  | 'lose the answer'
  | 'endless headers'
  | 'endless body'
  | 'enormous body';

const MEGABYTE = Buffer.alloc(1_048_576, 'x');

/** A product's back end on loopback, which events are sent to. */
export class WebhookReceiver {
  /** The attempts whose event it took, oldest first. */
  readonly taken: Attempt[] = [];

  /** All attempts. */
  readonly attempts: Attempt[] = [];

  /** Bytes of answers that the service has let it write. */
  written = 0;

  private reaction: Reaction = 'accept';
  private readonly coming: Reaction[] = [];
  private readonly server = createServer((request, response) => {
    void this.handle(request, response).catch(() => {});
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    // A test that fails before it closes this must not keep the run from ending.
    receiver.server.unref();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** The ids of the events it took, oldest first. */
  get ids(): string[] {
    return this.taken.map(({ id }) => id);
  }

  /** What it does with every attempt from now on. */
  react(reaction: Reaction): void {
    this.reaction = reaction;
  }

  /** What it does with the next attempts, one each, before it goes on as it was. */
  reactNext(...reactions: Reaction[]): void {
    this.coming.push(...reactions);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reaction = this.coming.shift() ?? this.reaction;
    const attempt = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body: await text(request),
    };
    this.attempts.push(attempt);
    if (reaction === 'hang') return;
    if (reaction === 'hang up') return void response.destroy();
    if (reaction === 'endless headers') return this.writeHeaders(response);

    if (typeof reaction === 'object') {
      await reaction.after;
      response.writeHead(reaction.status, reaction.headers).end();
      return;
    }
    this.taken.push(attempt);
    if (reaction === 'lose the answer') return void response.destroy();
    if (reaction === 'accept') return void response.writeHead(204).end();
    response.writeHead(200);
    await this.writeBody(response, reaction === 'endless body' ? Buffer.from('x') : MEGABYTE);
  }

  /** Writes one byte after the other, or megabytes as fast as they are taken, until the service hangs up. */
  private async writeBody(response: ServerResponse, chunk: Buffer): Promise<void> {
    while (!response.destroyed) {
      this.written += chunk.length;
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      await new Promise((resolve) => setTimeout(resolve, chunk.length === 1 ? 20 : 0));
    }
  }

  private async writeHeaders({ socket }: ServerResponse): Promise<void> {
    socket?.write('HTTP/1.1 200 OK\r\n');
    for (let number = 0; socket && !socket.destroyed; number++) {
      const header = `x-filler-${number}: ${'y'.repeat(100)}\r\n`;
      this.written += header.length;
      socket.write(header);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

/**
 * Changes the deliveries of a service. Its workers, who change several of them in one statement too, wait meanwhile:
 * otherwise each could hold a row that the other wants.
 */
export async function changeDeliveries(database: TestDatabase, sql: string): Promise<void> {
  await database.rows(`LOCK TABLE webhook_outages, webhook_deliveries IN EXCLUSIVE MODE; ${sql}`);
}

/** Lets time pass for the deliveries of a service, and waits until its workers have sent what may then be sent. */
export async function deliveryTimePasses(database: TestDatabase, seconds: number): Promise<void> {
  const by = `interval '${seconds} seconds'`;
  await changeDeliveries(
    database,
    `UPDATE webhook_outages SET paused_until = paused_until - ${by};
     UPDATE webhook_deliveries
        SET due_at = due_at - ${by}, created_at = created_at - ${by}, leased_until = leased_until - ${by}
      WHERE finished_at IS NULL;
     NOTIFY webhook_deliveries`,
  );
  await deliveriesRest(database);
}

/** Resolves once no delivery is under way, and none may be tried at present. */
export function deliveriesRest(database: TestDatabase, patienceMs?: number): Promise<void> {
  return until(async () => !(await database.value(BUSY)), patienceMs);
}

const BUSY = `
  SELECT EXISTS (
    SELECT FROM webhook_deliveries d
     WHERE finished_at IS NULL AND (leased_until > now() OR due_at <= now())
       AND (leased_until > now() OR NOT EXISTS (
         SELECT FROM webhook_outages o WHERE o.endpoint = d.endpoint AND paused_until > now())))`;
