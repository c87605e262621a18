import type { NestFastifyApplication } from '@nestjs/platform-fastify';

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The `Set-Cookie` headers. */
  cookies: string[];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the shape.
  body: any;
}

/** A page of the SPA in a browser: it names its origin and keeps cookies. */
export class Browser {
  readonly jar = new Map<string, string>();

  constructor(
    private readonly app: NestFastifyApplication,
    private readonly defaults: Record<string, string> = { origin: 'http://localhost:5173' },
  ) {}

  get(url: string, headers = {}): Promise<Answer> {
    return this.send('GET', url, undefined, headers);
  }

  post(url: string, body?: unknown, headers = {}): Promise<Answer> {
    return this.send('POST', url, body, headers);
  }

  patch(url: string, body?: unknown, headers = {}): Promise<Answer> {
    return this.send('PATCH', url, body, headers);
  }

  delete(url: string, headers = {}): Promise<Answer> {
    return this.send('DELETE', url, undefined, headers);
  }

  /** A body that is no string is sent as JSON. */
  async send(
    method: Method,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.app.inject({
      method,
      url,
      headers: {
        ...this.defaults,
        ...(this.jar.size > 0 && { cookie: [...this.jar].map((pair) => pair.join('=')).join('; ') }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

    const cookies = [response.headers['set-cookie'] ?? []].flat();
    for (const cookie of cookies) this.keep(cookie);
    return {
      status: response.statusCode,
      headers: response.headers as Answer['headers'],
      cookies,
      text: response.payload,
      body:
        response.payload && /json/.test(String(response.headers['content-type']))
          ? response.json()
          : undefined,
    };
  }

  private keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.includes('Max-Age=0') || value === '') this.jar.delete(name);
    else this.jar.set(name, value);
  }
}
