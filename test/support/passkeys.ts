import { loggedInAs } from './accounts.js';
import { Authenticator } from './authenticator.js';
import type { Answer, Browser } from './browser.js';
import type { TestApp } from './test-app.js';

/** A member who has logged in by password, and has a passkey. */
export class PasskeyOwner {
  private constructor(
    readonly browser: Browser,
    readonly id: string,
    readonly email: string,
    readonly authenticator: Authenticator,
  ) {}

  static async in(app: TestApp, authenticator = new Authenticator()): Promise<PasskeyOwner> {
    const browser = await loggedInAs(app, 'member');
    const { body } = await browser.post('/users/me/passkeys/options');
    const credential = authenticator.create(body.options);
    const { status } = await browser.post('/users/me/passkeys', { credential });
    if (status !== 201) throw new Error(`the registration answered ${status}`);
    return new PasskeyOwner(browser, browser.id, browser.email, authenticator);
  }
}

/** The options that an answer brings the browser. */
export const optionsOf = async (answer: Promise<Answer>) => (await answer).body.options;
