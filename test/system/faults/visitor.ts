import type { Ledger } from './ledger.js';

/** What the balancer answers for a service whose connection broke. */
const BAD_GATEWAY = 502;

/** There was no answer to go on with: the write may have happened or not. */
export class Unacknowledged extends Error {}

/** A browser that asks over the network, keeps cookies, and has the ledger hear every answer. */
export class Visitor {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly url: string,
    private readonly ledger: Ledger,
  ) {}

  /** The body of the answer that was expected. Throws Unacknowledged for any other. */
  // biome-ignore lint/suspicious/noExplicitAny: who asks knows the shape.
  async ask(method: string, path: string, expected: number, body?: unknown): Promise<any> {
    const askedAt = performance.now();
    const { status, payload } = await this.send(method, path, body);
    const tookMs = performance.now() - askedAt;
    this.ledger.hear({ what: `${method} ${path}`, status, expected, tookMs });
    if (status !== expected) throw new Unacknowledged(`${method} ${path} answered ${status}`);
    return payload === '' ? null : JSON.parse(payload);
  }

  private async send(method: string, path: string, body: unknown) {
    const hasBody = body !== undefined;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(body) }),
    }).catch(() => null);
    const payload = await response?.text().catch(() => null);
    if (!response || typeof payload !== 'string' || response.status === BAD_GATEWAY)
      return { status: 'cut' as const, payload: '' };

    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    return { status: response.status, payload };
  }

  private keep(cookie: string): void {
    const [name = '', value = ''] = cookie.slice(0, cookie.indexOf(';')).split('=');
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
