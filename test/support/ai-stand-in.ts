import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readDescription } from './schemas/read-description.js';
import { Gate } from './until.js';

const faultsOf = readDescription('chat-completion.schema.json');

/** A request as it came. */
interface ChatRequest {
  model: string;
  messages: { role: string; content: string }[];
  max_completion_tokens: number;
}

/** What is done with a request that fits the description. */
export type Behaviour = (response: ServerResponse) => void;

/** Writes an answer to its end. */
export const writes =
  (...pieces: string[]): Behaviour =>
  (response) => {
    begins(...pieces)(response);
    finish(response);
  };

/** Writes the beginning of an answer. */
export const begins =
  (...pieces: string[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    for (const content of pieces) response.write(chunk({ content }));
  };

/** Brings an answer to its end. */
export function finish(response: ServerResponse): void {
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

/** One event of a streamed answer. */
export function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices })}\n\n`;
}

/**
 * An AI provider on loopback, for a service that is started with its `variables`. It checks every request against the
 * description of the API; its `close` throws if one did not fit, so that no test needs to look.
 */
export class AiStandIn {
  static readonly key = 'sk-proj-the-key-of-the-tests';

  readonly requests: ChatRequest[] = [];
  /** Everything that came with them: address, headers and body. */
  readonly received: string[] = [];
  behaviour: Behaviour = writes('You logged in. ', 'Nothing looks unusual.');
  /** Opens once a client has hung up on an answer. */
  abandoned = new Gate();

  private readonly faults: string[] = [];
  private readonly server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    response.on('close', () => response.writableFinished || this.abandoned.open());
    void text(request).then((body) => this.handle(`${method} ${url}`, headers, body, response));
  });

  static async start(): Promise<AiStandIn> {
    const standIn = new AiStandIn();
    await new Promise<void>((resolve) => standIn.server.listen(0, '127.0.0.1', resolve));
    standIn.server.unref();
    return standIn;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The variables that make the service ask this provider. */
  get variables(): Record<string, string> {
    return {
      SVC_AI_API_KEY: AiStandIn.key,
      SVC_AI_BASE_URL: `${this.address}/v1`,
      SVC_AI_MODEL: 'some-model',
    };
  }

  /** What the last request was about. */
  get lastText(): string {
    return this.requests.at(-1)?.messages.at(-1)?.content ?? '';
  }

  /** Hangs up on every client. */
  dropAll(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.dropAll();
    await new Promise((resolve) => this.server.close(resolve));
    if (this.faults.length > 0) throw new Error(`unlike the API's description: ${this.faults.join('; ')}`);
  }

  private handle(route: string, headers: IncomingHttpHeaders, body: string, response: ServerResponse): void {
    this.received.push([route, JSON.stringify(headers), body].join('\n'));
    const faults = route === 'POST /v1/chat/completions' ? faultsOf(JSON.parse(body)) : [route];
    if (headers.authorization !== `Bearer ${AiStandIn.key}`) faults.push('another key');
    this.faults.push(...faults);
    this.requests.push(JSON.parse(body));
    this.behaviour(response);
  }
}
