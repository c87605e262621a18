import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { type DeliveredMail, MailStandIn } from './mail-stand-in.js';

/** A request as a stand-in received it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a stand-in answers; a text is sent as HTML, as proxies do, all else as JSON. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** What it waits for before it answers. */
  after?: Promise<void>;
}

/** What a provider does with a request: its answer, and the mail if it takes one over. */
export interface Verdict {
  answer: Answer;
  mail?: DeliveredMail;
}

/**
 * A mail provider's API on loopback, which checks every request against the API's published description, whatever it then
 * does with it. Its `close` throws if one did not fit, so that no test needs to look.
 */
export abstract class HttpMailStandIn extends MailStandIn<Answer> {
  /** How the requests did not fit the description of the API. */
  protected readonly faults: string[] = [];

  private readonly server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      this.handle({ method, url, headers, body }, response);
    });
  });

  /** The one request that sending takes, such as `POST /v3/mail/send`. */
  protected abstract readonly route: string;

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    if (this.faults.length > 0) throw new Error(`unlike the API's description: ${this.faults.join('; ')}`);
  }

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    // A test that fails before it closes this must not keep the run from ending.
    this.server.unref();
    return this;
  }

  /** What the provider would say to a mail; notes how it does not fit the description. */
  protected abstract judge(received: Received): Verdict;

  /** The answer to what is no mail. Returns null when the API has nothing of the kind. */
  protected answerToOther(_received: Received): Answer | null {
    return null;
  }

  protected deliver(mail: DeliveredMail): void {
    this.delivered.push(mail);
  }

  private handle(received: Received, response: ServerResponse): void {
    this.requests += 1;
    const { answer, mail } = this.verdictOn(received);
    const behaviour = this.nextBehaviour();

    if (mail && (behaviour === 'accept' || behaviour === 'lose the answer')) this.deliver(mail);
    if (behaviour === 'accept') reply(response, answer);
    else if (behaviour === 'hang') response.on('close', this.abandon);
    else if (behaviour === 'trickle') trickle(response).on('close', this.abandon);
    else if (behaviour === 'hang up' || behaviour === 'lose the answer') response.destroy();
    else void Promise.resolve(behaviour.after).then(() => reply(response, behaviour));
  }

  private verdictOn(received: Received): Verdict {
    const request = `${received.method} ${received.url} of ${received.headers['content-type']}`;
    if (request === `${this.route} of application/json`) return this.judge(received);

    const answer = this.answerToOther(received);
    if (answer === null) this.faults.push(request);
    return { answer: answer ?? { status: 404 } };
  }
}

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(body === undefined || isText ? body : JSON.stringify(body));
}

/** Answers without coming to an end, and compressed: a client has more to wait for than the connection. */
function trickle(response: ServerResponse): ServerResponse {
  response.writeHead(202, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  const body = createGzip();
  body.pipe(response);
  const timer = setInterval(() => {
    body.write(' ');
    body.flush();
  }, 50);
  return response.on('close', () => clearInterval(timer));
}
