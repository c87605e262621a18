import { freshAddress, verified } from './accounts.js';
import type { Browser } from './browser.js';
import { codeIn } from './mails.js';
import type { TestApp } from './test-app.js';

/** Settings of a service where a mailed code logs in. */
export const WITH_EMAIL_CODES = { SVC_EMAIL_CODE_LOGIN: 'on' };

export const ASK = '/auth/email-code';
export const LOGIN = '/auth/email-code/login';

/** A browser that has asked for a code, the address it named, and what was mailed there. */
export interface Asked {
  browser: Browser;
  email: string;
  code: string;
}

/** Asks for a code to log in with: for an address, or for that of a new account. */
export async function asksToLogIn(app: TestApp, email?: string, browser = app.browser()): Promise<Asked> {
  const address = email ?? (await verified(app));
  const { status } = await browser.post(ASK, { email: address });
  if (status !== 202) throw new Error(`the request for a code answered ${status}`);
  return { browser, email: address, code: codeIn((await app.mailbox.last(address)).text) };
}

/** A browser that has asked for a code to an address without an account, and so knows none. */
export async function asksInVain(app: TestApp): Promise<Browser> {
  const browser = app.browser();
  await browser.post(ASK, { email: freshAddress() });
  return browser;
}

export const logIn = (browser: Browser, code: string) => browser.post(LOGIN, { code });

/** A browser in which an account has logged in with a mailed code. */
export async function loggedInByMail(app: TestApp, email?: string): Promise<Browser & { email: string }> {
  const asked = await asksToLogIn(app, email);
  const { status } = await logIn(asked.browser, asked.code);
  if (status !== 200) throw new Error(`the login answered ${status}`);
  return Object.assign(asked.browser, { email: asked.email });
}

/** A code that differs from the right one in its last character. */
export const wrong = (code: string) => code.slice(0, -1) + (code.endsWith('0') ? '1' : '0');

/** The browser with the cookies of another one, as a thief of them has it. */
export function twinOf({ jar }: Browser, app: TestApp): Browser {
  const twin = app.browser();
  for (const [name, value] of jar) twin.jar.set(name, value);
  return twin;
}

export const ASK_PROOF = '/auth/step-up/code';
export const PROVE = '/auth/step-up';

/** A browser in which an account has logged in that has nothing but its address. */
export async function barelyLoggedIn(
  app: TestApp,
  email?: string,
): Promise<Browser & { id: string; email: string }> {
  const address = email ?? (await verified(app));
  const id = await app.database.value(
    'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1 RETURNING id',
    [address],
  );
  return Object.assign(await loggedInByMail(app, address), { id });
}

/** Asks within a session for the code that proves who its user is, and reads it. */
export async function asksToProve(app: TestApp, user: Browser & { email: string }): Promise<string> {
  const { status, text } = await user.post(ASK_PROOF);
  if (status !== 202) throw new Error(`the request for a code answered ${status} ${text}`);
  return app.mailbox.code(user.email);
}

export const prove = (browser: Browser, code: string) => browser.post(PROVE, { email_code: code });
