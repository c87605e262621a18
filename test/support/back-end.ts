import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WebhookEvent } from '../../src/client/latchkey.js';
import { EventTable } from './event-table.js';
import { until } from './until.js';
import { newSecret } from './webhooks.js';

/** A request as a back end got it. */
interface Request {
  headers: IncomingHttpHeaders;
  body: string;
  /** What it says; the failure of one that no secret of the back end signed, or that is not as documented. */
  event: WebhookEvent | Error;
}

/** A product's back end on loopback, which verifies the events it is sent, and keeps what they say. */
export class BackEnd {
  readonly requests: Request[] = [];
  readonly table: EventTable;
  private answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end();

  private constructor(
    readonly secrets: string[],
    private readonly server: ReturnType<typeof createServer>,
  ) {
    this.table = new EventTable(secrets);
  }

  static async start(secrets = [newSecret()]): Promise<BackEnd> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    server.unref();
    const backEnd = new BackEnd(secrets, server);
    server.on('request', async (request, response) => {
      const [headers, body] = [request.headers, await text(request)];
      backEnd.requests.push({ headers, body, event: backEnd.read(body, headers) });
      backEnd.answer(response);
    });
    return backEnd;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** The events that it has taken, in the order in which they came. */
  get events(): WebhookEvent[] {
    return this.requests.flatMap(({ event }) => (event instanceof Error ? [] : [event]));
  }

  /** From now on answers in some way; without one takes each event. */
  answerWith(answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end()): void {
    this.answer = answer;
  }

  /** The first event that meets a condition, once it is there. */
  async event(isWanted: (event: WebhookEvent) => boolean): Promise<WebhookEvent> {
    await until(() => this.events.some(isWanted));
    return this.events.find(isWanted) as WebhookEvent;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private read(body: string, headers: IncomingHttpHeaders): WebhookEvent | Error {
    try {
      return this.table.take(body, headers);
    } catch (error) {
      return error as Error;
    }
  }
}
