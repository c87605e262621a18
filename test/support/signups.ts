import { once } from 'node:events';
import type { Socket } from 'node:net';
import { freshAddress, PASSWORD } from './accounts.js';
import type { Browser } from './browser.js';
import { connectTo } from './send.js';
import type { TestApp } from './test-app.js';

/** Lets time pass for the signups of an address, once their mails are written. */
export async function later(app: TestApp, email: string, interval: string): Promise<void> {
  await app.mailbox.to(email);
  await app.database.rows(
    `UPDATE signups SET mail_asked_at = mail_asked_at - $2::interval, created_at = created_at - $2::interval,
            expires_at = expires_at - $2::interval
      WHERE email = $1`,
    [email, interval],
  );
}

/** The live signups of an address, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the columns.
export async function signupsOf(app: TestApp, email: string): Promise<any[]> {
  return app.database.rows(
    'SELECT * FROM signups WHERE email = $1 AND expires_at > now() ORDER BY created_at, id',
    [email],
  );
}

/** A signup that is in flight: the service has asked for its body, and waits. */
export class BegunSignup {
  private constructor(
    private readonly socket: Socket,
    private readonly body: string,
  ) {}

  static async at(port: number): Promise<BegunSignup> {
    const body = JSON.stringify({ email: freshAddress(), password: PASSWORD });
    const socket = (await connectTo(port)).setEncoding('utf8');
    socket.write(
      `POST /auth/signup HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data');
    return new BegunSignup(socket, body);
  }

  /** Sends the body, and returns the status of the answer. */
  async finish(): Promise<number> {
    this.socket.write(this.body);
    const [answer] = await once(this.socket, 'data');
    return Number(String(answer).split(' ')[1]);
  }
}

/** What is posted to sign up beside address and password, and where. */
export interface SignupFields {
  path?: string;
  [field: string]: unknown;
}

/** A browser that has signed up, and the token that was mailed to it. */
export async function waitingSignup(
  app: TestApp,
  email = freshAddress(),
  { path = '/auth/signup', ...body }: SignupFields = {},
): Promise<{ browser: Browser; email: string; token: string }> {
  const browser = app.browser();
  await browser.post(path, { email, password: PASSWORD, ...body });
  return { browser, email, token: await app.mailbox.token(email) };
}
