import { type AdminLatchkey, withAdmin } from '../../src/client/admin.js';
import { createLatchkey, type LatchkeyOptions } from '../../src/client/latchkey.js';
import type { Browser } from '../support/browser.js';

/** What a browser does for the pages of an origin: it sends cookies, and keeps those that come back. */
export class CookieJar {
  readonly cookies: Map<string, string>;

  /** With the cookies of a browser in which a user has logged in already. */
  constructor({ jar }: Pick<Browser, 'jar'> = { jar: new Map() }) {
    this.cookies = new Map(jar);
  }

  readonly fetch: typeof fetch = async (address, init) => {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...init?.headers, origin: 'http://localhost:5173', ...(cookie && { cookie }) };
    const response = await fetch(address, { ...init, headers });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  };

  /** The client of a page in another tab. */
  tab(url: string, options: LatchkeyOptions = {}): AdminLatchkey {
    return withAdmin(createLatchkey(url, { fetch: this.fetch, ...options }));
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (value === '' || attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
