import type { BrowserContext, Cookie, Page } from 'playwright-core';
import { PASSWORD } from '../support/accounts.js';

const PATIENCE_MS = 20_000;

/** A person who uses the SPA: opens pages, fills in forms, and sees what they say. */
export class Visitor {
  private constructor(
    readonly page: Page,
    readonly home: string,
  ) {}

  static async openIn(context: BrowserContext, home: string): Promise<Visitor> {
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visitor(await context.newPage(), home);
  }

  /** The same browser, in another tab. */
  inNewTab(): Promise<Visitor> {
    return Visitor.openIn(this.page.context(), this.home);
  }

  /** Opens a page of the SPA, or any other address. */
  async open(address: string): Promise<void> {
    await this.page.goto(new URL(address, this.home).href);
  }

  async follow(link: string): Promise<void> {
    await this.page.getByRole('link', { name: link, exact: true }).click();
  }

  /** Types into the fields with these labels, and presses a button. */
  async submit(button: string, fields: Record<string, string> = {}): Promise<void> {
    for (const [label, value] of Object.entries(fields)) await this.page.getByLabel(label).fill(value);
    await this.page.getByRole('button', { name: button, exact: true }).click();
  }

  async logIn(email: string, password = PASSWORD): Promise<void> {
    await this.open('/login');
    await this.submit('Log in', { Email: email, Password: password });
    await this.sees('Your account');
  }

  /** Resolves once a text is there to be seen; throws when it does not come. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** The path and query of the page at hand. */
  get path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** What the page shows, whole. */
  text(): Promise<string> {
    return this.page.locator('body').innerText();
  }

  /** A cookie as the browser keeps it. */
  async cookie(name = 'session_id'): Promise<Cookie | undefined> {
    return (await this.page.context().cookies()).find((cookie) => cookie.name === name);
  }
}
