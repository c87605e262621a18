import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address that nothing answers at, so that no test asks the real Pwned Passwords. */
export const NO_PWNED_PASSWORDS = 'http://127.0.0.1:9';

/** The fewest entries that the real one pads its answer to. */
const MIN_ENTRIES = 800;

/** What it may be told of a password, and nothing more. */
const ROUTE = /^GET \/range\/(?<prefix>[\dA-F]{5})$/;
const HEADERS = /^(accept(-encoding|-language)?|add-padding|connection|host|sec-fetch-mode|user-agent)$/;

/** What is done with a request; `range` is the true answer to it. */
export type Behaviour = (response: ServerResponse, range: string) => void;

export const answers: Behaviour = (response, range) => void response.end(range);

/**
 * Pwned Passwords on loopback, for a service that is started with its `variables`. It checks every request; its `close`
 * throws if one said more of a password than the first five digits of its hash, or did not ask for padding.
 */
export class PwnedPasswordsStandIn {
  /** The prefixes that it was asked for, in order. */
  readonly prefixes: string[] = [];
  behaviour = answers;

  /** What it knows of passwords: the whole hash, and how often breaches had it. */
  private readonly counts = new Map<string, number>();
  private readonly faults: string[] = [];
  private readonly server = createServer((request, response) => this.handle(request, response));

  static async start(): Promise<PwnedPasswordsStandIn> {
    const standIn = new PwnedPasswordsStandIn();
    await new Promise<void>((resolve) => standIn.server.listen(0, '127.0.0.1', resolve));
    standIn.server.unref();
    return standIn;
  }

  get variables(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return { SVC_BREACH_CHECK: 'on', SVC_BREACH_BASE_URL: `http://127.0.0.1:${port}` };
  }

  /** Lists a password; with a count of 0 as padding, which is a hash that the real one makes up. */
  list(password: string, count = 3): void {
    this.counts.set(sha1(password), count);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    if (this.faults.length > 0) throw new Error(`asked Pwned Passwords wrongly: ${this.faults.join('; ')}`);
  }

  private handle({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const prefix = ROUTE.exec(`${method} ${url}`)?.groups?.prefix;
    if (prefix === undefined) this.faults.push(`${method} ${url}`);
    if (headers['add-padding'] !== 'true') this.faults.push('no padding');
    this.faults.push(...Object.keys(headers).filter((name) => !HEADERS.test(name)));
    this.prefixes.push(prefix ?? '');
    this.behaviour(response, this.range(prefix ?? ''));
  }

  /** In the form of the real one: a line each, with its line breaks, and none after the last. */
  private range(prefix: string): string {
    const listed = [...this.counts].filter(([hash]) => hash.startsWith(prefix));
    const known = listed.map(([hash, count]) => `${hash.slice(prefix.length)}:${count}`);
    const padding = Array.from({ length: MIN_ENTRIES - known.length }, () => `${madeUp()}:0`);
    return [...known, ...padding].sort().join('\r\n');
  }
}

/** What a service asks Pwned Passwords about a password. */
export function prefixOf(password: string): string {
  return sha1(password).slice(0, 5);
}

function sha1(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}

function madeUp(): string {
  return randomBytes(18).toString('hex').slice(1).toUpperCase();
}
