/** What a browser does for the pages of an origin: it sends and keeps cookies. Each tab of it makes its own client. */
export class CookieJar {
  readonly cookies = new Map<string, string>();

  constructor(private readonly origin = 'http://localhost:5173') {}

  readonly fetch: typeof fetch = async (address, init) => {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(init?.headers as object), origin: this.origin, ...(cookie && { cookie }) };
    const response = await fetch(address, { ...init, headers });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  };

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (value === '' || attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
