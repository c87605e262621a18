import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gate } from '../until.js';
import { newId, StripeAccount } from './account.js';
import { ENDPOINTS } from './endpoints.js';
import { type Answer, IdempotencyKeys, type Parameters, parseForm, StripeFault } from './requests.js';

const API_VERSION = '2026-10-28.endive';
const SECRET_KEY = 'sk_test_51LatchkeyTests';

/**
 * What can go wrong with a request: no answer comes, or one that never ends, the answer is lost after the work is done, or
 * it is an error.
 */
export type Trouble = 'refuse' | 'hang' | 'drip' | 'lose' | { status: number; code?: string; type?: string };

/** A request as it came. */
export interface SeenRequest {
  method: string;
  path: string;
  parameters: Parameters;
  key: string | undefined;
}

/** A request that a browser makes. */
export interface PageRequest {
  method: string;
  path: string;
  form: URLSearchParams;
}

/** Answers that are held up, once they are known. */
interface Hold {
  matches: (request: SeenRequest) => boolean;
  reached: Gate;
  released: Gate;
}

/** Stripe on loopback: it keeps state, and takes requests as Stripe documents them and no other. */
export class StripeStandIn {
  static readonly signingSecret = 'whsec_of_the_tests';

  readonly account = new StripeAccount();
  readonly requests: SeenRequest[] = [];
  /** What goes wrong with a request, if anything does. */
  trouble: (request: SeenRequest) => Trouble | undefined = () => undefined;
  /** Answers a request that is none to the API, such as for a page where people pay; true once it has. */
  showPage: (page: PageRequest, response: ServerResponse) => Promise<boolean> = async () => false;
  /** Is called after each answer of the API, when something may have happened in the account. */
  onAnswer: () => void = () => {};
  /** How long an answer takes on its way, once it is known. */
  latencyMs = 0;

  private readonly keys = new IdempotencyKeys();
  private readonly holds: Hold[] = [];

  private constructor(
    private readonly server: Server,
    readonly base: string,
  ) {}

  static async start(wantedPort = 0): Promise<StripeStandIn> {
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve),
    );
    const { port } = server.address() as AddressInfo;
    const self = new StripeStandIn(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => self.serve(request, response));
    return self;
  }

  /** The variables that make the service use this account. */
  get variables(): Record<string, string> {
    return {
      SVC_STRIPE_SECRET_KEY: SECRET_KEY,
      SVC_STRIPE_WEBHOOK_SECRET: StripeStandIn.signingSecret,
      SVC_STRIPE_API_BASE: this.base,
    };
  }

  /** Forgets what was requested, and answers from now on as it did at first. */
  calmDown(): void {
    this.requests.length = 0;
    this.latencyMs = 0;
    this.trouble = () => undefined;
  }

  /** How often a request was made; the path may hold any id. */
  count(method: string, path: RegExp): number {
    return this.requests.filter((request) => request.method === method && path.test(request.path)).length;
  }

  /** Holds the next answer to such a request up, once it is known, until it is released. */
  hold(matches: Hold['matches']): { reached: Promise<void>; release: () => void } {
    const hold = { matches, reached: new Gate(), released: new Gate() };
    this.holds.push(hold);
    return { reached: hold.reached.opened, release: hold.released.open };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { pathname, search } = new URL(request.url ?? '/', this.base);
    const page = { method: request.method ?? '', path: pathname, form: new URLSearchParams(body) };
    if (!pathname.startsWith('/v1/') && (await this.showPage(page, response))) return;
    const key = request.headers['idempotency-key']?.toString();
    const form = body || search.slice(1);
    const seen = { method: request.method ?? '', path: pathname, parameters: parseForm(form), key };
    this.requests.push(seen);

    const trouble = this.trouble(seen);
    if (trouble === 'hang') return;
    if (trouble === 'drip') return drip(response);
    if (trouble === 'refuse') return void response.destroy();
    const answer = await this.answer(request, seen, form, trouble);
    await this.holdUp(seen);
    if (trouble === 'lose') return void response.destroy();
    response
      .writeHead(answer.status, {
        'content-type': 'application/json',
        'stripe-version': API_VERSION,
        'request-id': newId('req'),
        ...(answer.isReplayed && { 'idempotent-replayed': 'true' }),
      })
      .end(JSON.stringify(answer.body));
    this.onAnswer();
  }

  private async holdUp(request: SeenRequest): Promise<void> {
    const index = this.holds.findIndex(({ matches }) => matches(request));
    const [hold] = index < 0 ? [] : this.holds.splice(index, 1);
    hold?.reached.open();
    await hold?.released.opened;
  }

  private async answer(
    { headers }: IncomingMessage,
    seen: SeenRequest,
    form: string,
    trouble: Trouble | undefined,
  ): Promise<Answer> {
    try {
      const { method, path, key } = seen;
      checkHeaders(method, headers);
      return await this.keys.answer(key, `${method} ${path} ${form}`, async () => {
        const answer = typeof trouble === 'object' ? failed(trouble) : this.perform(seen);
        await new Promise((resolve) => setTimeout(resolve, this.latencyMs));
        return answer;
      });
    } catch (error) {
      if (error instanceof StripeFault) return { status: error.status, body: error.body };
      throw error;
    }
  }

  private perform({ method, path, parameters }: SeenRequest): Answer {
    const endpoint = ENDPOINTS.find((one) => one.method === method && one.path.test(path));
    if (!endpoint) throw new StripeFault(404, `Unrecognized request URL (${method}: ${path}).`);

    const unknown = Object.keys(parameters).find((name) => !endpoint.takes.includes(name));
    if (unknown !== undefined)
      throw new StripeFault(400, `Received unknown parameter: ${unknown}`, 'parameter_unknown');
    const id = endpoint.path.exec(path)?.[1] ?? '';
    const body = endpoint.answer(this.account, parameters, decodeURIComponent(id));
    return { status: 200, body: structuredClone(body) };
  }
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'stripe-version': API_VERSION });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

function checkHeaders(method: string, headers: IncomingMessage['headers']): void {
  if (headers.authorization !== `Bearer ${SECRET_KEY}`)
    throw new StripeFault(401, 'Invalid API Key provided');
  if (headers['stripe-version'] !== API_VERSION) throw new StripeFault(400, 'Another version was expected');
  if (method === 'POST' && headers['content-type'] !== 'application/x-www-form-urlencoded')
    throw new StripeFault(400, 'Requests are form-encoded');
  if (method === 'POST' && headers['idempotency-key'] === undefined)
    throw new StripeFault(400, 'The tests expect a key with every request that changes something');
}

function failed({ status, code, type = 'api_error' }: Exclude<Trouble, string>): Answer {
  return { status, body: new StripeFault(status, 'Something is wrong at Stripe.', code, type).body };
}
