import { type AdminLatchkey, withAdmin } from './admin.js';
import { createLatchkey, type LatchkeyOptions } from './latchkey.js';

/** How long a mail may take from the request that asked for it. */
const MAIL_PATIENCE_MS = 10_000;
const MAIL_PAUSE_MS = 50;

/** A cookie, as Playwright and browsers write it. */
export interface StoredCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** In seconds since 1970; -1 for a cookie that ends with the browser. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Strict' | 'Lax' | 'None';
}

/** What `browser.newContext({ storageState })` of Playwright takes. */
export interface StorageState {
  cookies: StoredCookie[];
  origins: [];
}

/** What a browser does with cookies, in Node: it sends those of the service, and keeps what comes back. */
export class TestBrowser {
  private readonly cookies = new Map<string, StoredCookie>();

  constructor(
    /** The address of the service. */
    readonly url: string,
  ) {}

  /** Takes the path of a route, or an address of the service. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input, `${this.url}/`);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const isOfService = address.origin === new URL(this.url).origin;
    const cookie = isOfService ? this.cookieHeader() : '';
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(input instanceof Request ? input : address, { ...init, headers });
    if (isOfService) for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  };

  /** The value of a `Cookie` header, such as for a request to a server of yours. */
  cookieHeader(): string {
    return [...this.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** A client whose requests have the cookies of this browser. */
  client(options: LatchkeyOptions = {}): AdminLatchkey {
    return withAdmin(createLatchkey(this.url, { fetch: this.fetch, ...options }));
  }

  /** Lets a browser of Playwright begin with these cookies. */
  storageState(): StorageState {
    return { cookies: [...this.cookies.values()], origins: [] };
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const given = new Map(attributes.map((each) => [each.split('=')[0]?.toLowerCase(), each.split('=')[1]]));
    const maxAge = given.get('max-age');
    if (value === '' || maxAge === '0') this.cookies.delete(name);
    else
      this.cookies.set(name, {
        name,
        value,
        domain: new URL(this.url).hostname,
        path: given.get('path') ?? '/',
        expires: maxAge === undefined ? -1 : Math.floor(Date.now() / 1000) + Number(maxAge),
        httpOnly: given.has('httponly'),
        secure: given.has('secure'),
        sameSite: (given.get('samesite') ?? 'Lax') as StoredCookie['sameSite'],
      });
  }
}

/** A mail that the service would have sent. */
export interface TestMail {
  id: string;
  kind: string;
  to: string;
  subject: string;
  kept_at: string;
  /** The addresses in its text, in their order. */
  links: string[];
  text: string;
  html: string;
}

/** The mails that a service in `dev` has written to one address, the newest first. */
export async function mailsTo(url: string, address: string): Promise<TestMail[]> {
  const response = await fetch(`${url}/dev/mail.json?${new URLSearchParams({ to: address })}`);
  if (!response.ok)
    throw new Error(`${url}/dev/mail.json answered ${response.status}: it is there in dev with the stub.`);
  return ((await response.json()) as { data: TestMail[] }).data;
}

/** The newest mail to an address that meets `isMeant`; waits for it up to ten seconds. */
export async function mailTo(
  url: string,
  address: string,
  isMeant: (mail: TestMail) => boolean = () => true,
): Promise<TestMail> {
  for (const end = Date.now() + MAIL_PATIENCE_MS; Date.now() < end; await pause()) {
    const mail = (await mailsTo(url, address)).find(isMeant);
    if (mail) return mail;
  }
  throw new Error(`No such mail came to ${address}.`);
}

/** The token in the first link of a mail that has one. */
export function tokenOf({ links, subject }: Pick<TestMail, 'links' | 'subject'>): string {
  const [token] = links.flatMap((link) => new URL(link).searchParams.get('token') ?? []);
  if (token === undefined) throw new Error(`The mail “${subject}” has no link with a token.`);
  return token;
}

/** Signs somebody up at a service that runs in `dev`, opens the link of the mail, and is logged in. */
export async function signUp(
  url: string,
  {
    email,
    password,
    name,
    org_name,
  }: { email?: string; password?: string; name?: string; org_name?: string } = {},
): Promise<TestBrowser & { email: string; password: string }> {
  const account = { email: email ?? freshAddress(), password: password ?? 'correct horse battery staple' };
  const browser = new TestBrowser(url);
  const latchkey = browser.client();
  if (org_name === undefined) await latchkey.signup({ ...account, name });
  else await latchkey.signupOrg({ ...account, name, org_name });
  const mail = await mailTo(url, account.email, ({ links }) => links.some((link) => link.includes('token=')));
  await latchkey.verifyEmail({ token: tokenOf(mail) });
  return Object.assign(browser, account);
}

/** An address that no account has yet. */
export function freshAddress(): string {
  return `user-${crypto.randomUUID().slice(0, 13)}@example.com`;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, MAIL_PAUSE_MS));
