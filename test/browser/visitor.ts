import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Cookie, Locator, Page } from 'playwright-core';
import { PASSWORD } from '../support/accounts.js';
import type { ErrorLines } from './error-lines.js';
import { readPseudo, speakPseudo, TEST_LANGUAGE } from './pseudo-language.js';

const PATIENCE_MS = 20_000;
/** How long requests to the API may wait at most before they are sent: shows which stories only pass on a fast machine. */
const API_DELAY_MS = Number(process.env.LATCHKEY_API_DELAY_MS ?? 0);
/** More than a page has places to go to. */
const TABS = 60;

/** How a person uses the pages. */
export interface User {
  /** Without a mouse, the visitor goes through the page by Tab, and uses what shows that it has the focus. */
  hasMouse?: boolean;
  /** With `en-XA`, the pages say everything in the pseudo-language, which the visitor reads as English. */
  language?: string;
}

/** A person who uses the pages: opens them, fills in forms, and sees what they say. */
export class Visitor {
  private constructor(
    readonly page: Page,
    readonly home: string,
    private readonly lines: ErrorLines,
    private readonly user: Required<User>,
  ) {}

  static async openIn(
    context: BrowserContext,
    home: string,
    lines: ErrorLines,
    { hasMouse = true, language = TEST_LANGUAGE ?? 'en' }: User = {},
  ): Promise<Visitor> {
    context.setDefaultTimeout(PATIENCE_MS);
    if (language === 'en-XA') await speakPseudo(context);
    if (API_DELAY_MS > 0) await delayRequests(context);
    return new Visitor(await context.newPage(), home, lines, { hasMouse, language });
  }

  /** The same browser, in another tab. */
  inNewTab(): Promise<Visitor> {
    return Visitor.openIn(this.page.context(), this.home, this.lines, this.user);
  }

  /** Lets the pages be refused something, such as `401 /auth/login`: an unnamed refusal fails the story. */
  expectRefusal(...refusals: string[]): void {
    for (const refusal of refusals) this.lines.expect(refusal);
  }

  /** Opens a page, such as `/login`, or any other address. */
  async open(address: string): Promise<void> {
    await this.page.goto(address.startsWith('/') ? this.home + address : address);
  }

  async follow(link: string): Promise<void> {
    await this.use(this.page.getByRole('link', { name: this.named(link), exact: true }));
  }

  /** Types into the fields with these labels, and presses a button. */
  async submit(button: string, fields: Record<string, string> = {}): Promise<void> {
    for (const [label, value] of Object.entries(fields))
      await this.write(
        this.within.getByLabel(this.read(label)).and(this.page.locator('input, select, textarea')),
        value,
      );
    await this.press(button);
  }

  async press(button: string): Promise<void> {
    await this.use(this.within.getByRole('button', { name: this.named(button), exact: true }));
  }

  /** The dialog that is open, of several the one on top, or else the page. */
  private get within(): Locator {
    return this.page.locator('dialog[open], body:not(:has(dialog[open]))').last();
  }

  /** Shows what a line such as “Rename” hides, or hides it again. */
  async unfold(line: string): Promise<void> {
    await this.use(this.page.locator('summary', { hasText: this.read(line) }).filter({ visible: true }));
  }

  /** Ticks a box, or takes the tick away. */
  async tick(label: string): Promise<void> {
    await this.use(this.within.getByLabel(this.read(label)), 'Space');
  }

  async logIn(email: string, password = PASSWORD): Promise<void> {
    await this.open('/login');
    await this.submit('Log in', { Email: email, Password: password });
    await this.sees('Your account');
    await this.hasLoaded();
  }

  /** What the page still asks for would be refused once the session has ended. */
  async logOut(): Promise<void> {
    await this.hasLoaded();
    await this.press('Log out');
  }

  /** Resolves once the page shows that it waits for nothing: no grey rows, and no form that is under way. */
  async hasLoaded(): Promise<void> {
    await this.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }

  /** Resolves once a text is there to be seen; throws when it does not come. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page
      .getByText(typeof text === 'string' ? this.read(text) : text)
      .first()
      .waitFor()
      .catch(async () => {
        throw new Error(`${this.path} does not show ${text}, but: ${await this.text()}`);
      });
  }

  /** A text of the page, in the language that the visitor reads. */
  private read(text: string): string | RegExp {
    return this.user.language === 'en' ? text : readPseudo(text);
  }

  private named(text: string): string | RegExp {
    return this.user.language === 'en' ? text : readPseudo(text, { isWhole: true });
  }

  private async use(element: Locator, key = 'Enter'): Promise<void> {
    if (this.user.hasMouse) return element.click();
    await this.reach(element);
    await this.page.keyboard.press(key);
  }

  private async write(field: Locator, value: string): Promise<void> {
    if (this.user.hasMouse) return field.fill(value);
    await this.reach(field);
    // A field for a day takes month, day and year one after the other.
    if ((await field.getAttribute('type')) === 'date')
      return this.page.keyboard.type(value.replace(/(\d+)-(\d+)-(\d+)/, '$2$3$1'));
    await this.page.keyboard.press('ControlOrMeta+A');
    // All at once, as if it were pasted.
    await this.page.keyboard.insertText(value);
  }

  private async reach(element: Locator): Promise<void> {
    await element.waitFor();
    const focused = element.and(this.page.locator(':focus-visible'));
    for (let tabs = 0; (await focused.count()) === 0; tabs++) {
      if (tabs === TABS)
        throw new Error(`No Tab leads to ${element}, or it does not show that it has the focus`);
      await this.page.keyboard.press('Tab');
    }
  }

  /** Resolves once the page at hand has this path and query. */
  async arrivesAt(path: string): Promise<void> {
    await this.page.waitForURL(new URL(path, this.home).href);
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

async function delayRequests(context: BrowserContext): Promise<void> {
  await context.route('**', async (route) => {
    if (route.request().resourceType() === 'fetch') await setTimeout(Math.random() * API_DELAY_MS);
    // The page may have gone meanwhile.
    await route.continue().catch(() => {});
  });
}
