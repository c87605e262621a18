import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { statusOf } from './send.js';

const PROBE_MS = 100;

/** A service to send requests to. */
interface Backend {
  readonly port: number;
}

/**
 * A load balancer on loopback: in turn, over connections that are kept. A GET that found no service listening goes to the
 * next service; nothing else is sent twice. Any other failure of a service is a 502.
 */
export class Balancer {
  private readonly server = createServer((request, response) => this.forward(request, response));
  private readonly agent = new Agent({ keepAlive: true });
  private turn = 0;
  private probing: NodeJS.Timeout | undefined;

  private constructor(private backends: Backend[]) {}

  static async start(backends: Backend[]): Promise<Balancer> {
    const balancer = new Balancer([...backends]);
    await once(balancer.server.listen(0, '127.0.0.1'), 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends nothing more to a service; what is under way there comes to its end. */
  takeOut(backend: Backend): void {
    this.backends = this.backends.filter((other) => other !== backend);
  }

  putBack(backend: Backend): void {
    this.takeOut(backend);
    this.backends.push(backend);
  }

  /** From now on asks each service whether it is ready, and sends nothing to those that are not. */
  followReadiness(): void {
    const all = [...this.backends];
    this.probing = setInterval(() => all.map((backend) => this.probe(backend)), PROBE_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.probing);
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async probe(backend: Backend): Promise<void> {
    const status = await statusOf('GET', `http://127.0.0.1:${backend.port}/health/ready`).catch(() => 0);
    if (status !== 200) this.takeOut(backend);
    else if (!this.backends.includes(backend)) this.putBack(backend);
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const first = this.turn++ % Math.max(1, this.backends.length);
    this.tryInTurn([...this.backends.slice(first), ...this.backends.slice(0, first)], request, response);
  }

  private tryInTurn(
    [backend, ...others]: Backend[],
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    if (backend === undefined) {
      fail(response, 'no service is left');
      return;
    }

    const { method, url: path, headers } = request;
    const { agent } = this;
    const sent = open({ agent, host: '127.0.0.1', port: backend.port, method, path, headers });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (method === 'GET' && error.code === 'ECONNREFUSED') this.tryInTurn(others, request, response);
      else fail(response, `${backend.port}: ${error.message}`);
    });
    sent.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(response).on('close', () => answer.destroy());
      answer.on('error', () => response.destroy());
    });
    if (method === 'GET') sent.end();
    else request.pipe(sent);
  }
}

/** The headers that are not about one connection (RFC 9110, 7.6.1). */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  return rest;
}

function fail(response: ServerResponse, reason: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502).end(reason);
}
