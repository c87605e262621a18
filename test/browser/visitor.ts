import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Cookie, Locator, Page } from 'playwright-core';
import type { PseudoLanguage } from '../../src/words/pseudo.js';
import { PASSWORD } from '../support/accounts.js';
import { allow, faultsOf } from './all-said.js';
import type { ErrorLines } from './error-lines.js';
import { fromPseudo, readPseudo, speakPseudo, TEST_LANGUAGE } from './pseudo-language.js';

const PATIENCE_MS = 20_000;
/** How long requests to the API may wait at most before they are sent: shows which stories only pass on a fast machine. */
const API_DELAY_MS = Number(process.env.LATCHKEY_API_DELAY_MS ?? 0);
/** More than a page has places to go to. */
const TABS = 60;

/** How a person uses the pages. */
export interface User {
  /** Without a mouse, the visitor goes through the page by Tab, and uses what shows that it has the focus. */
  hasMouse?: boolean;
  /**
   * In a pseudo-language, the pages say everything in it, and the visitor reads it as English. What is English, or too wide for the
   * narrowest phone, the visitor does not put up with.
   */
  language?: 'en' | PseudoLanguage;
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
    { hasMouse = true, language = TEST_LANGUAGE }: User = {},
  ): Promise<Visitor> {
    context.setDefaultTimeout(PATIENCE_MS);
    if (language !== 'en') await speakPseudo(context, language);
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
    await this.use(this.find('link', link));
  }

  /** Types into the fields with these labels, and presses a button. */
  async submit(button: string, fields: Record<string, string> = {}): Promise<void> {
    for (const [label, value] of Object.entries(fields)) await this.write(this.field(label), value);
    await this.press(button);
  }

  async press(button: string): Promise<void> {
    await this.use(this.within.getByRole('button', { name: this.named(button), exact: true }));
  }

  /** Chooses an option of the field with this label. */
  async choose(label: string, option: string): Promise<void> {
    const text = readPseudo(option, { isWhole: true });
    const value = await this.field(label).locator('option', { hasText: text }).getAttribute('value');
    await this.field(label).selectOption(value);
  }

  /** The elements of a role, such as `button`, that are called so, or whose name has this part; without one, all of the role. */
  find(role: Parameters<Page['getByRole']>[0], name?: string, { isPart = false } = {}): Locator {
    if (name === undefined) return this.page.getByRole(role);
    if (isPart) return this.page.getByRole(role, { name: this.read(name) });
    return this.page.getByRole(role, { name: this.named(name), exact: true });
  }

  /** The field with this label, in the dialog that is open, or else in the page. */
  field(label: string): Locator {
    return this.within.getByLabel(this.read(label)).and(this.page.locator('input, select, textarea'));
  }

  /** The rows of tables that say something. */
  row(text: string): Locator {
    return this.find('row').filter({ hasText: this.read(text) });
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

  /** Resolves once a text is there to be seen, in the page or a part of it; throws when it does not come. */
  async sees(text: string, part: Page | Locator = this.page): Promise<void> {
    await part
      .getByText(this.read(text))
      .first()
      .waitFor()
      .catch(async () => {
        throw new Error(`${this.path} does not show ${text}, but: ${await this.text()}`);
      });
    await this.look();
  }

  /** Throws where a page that says everything in a pseudo-language does not, once it has an element. */
  private async look(element?: Locator): Promise<void> {
    if (this.user.language === 'en' || !this.isAtHome) return;
    await element?.waitFor();
    const faults = await faultsOf(this.page);
    if (faults.length > 0) throw new Error(`${this.path}: ${faults.join('; ')}`);
  }

  /** Whether the page at hand is one of the service. */
  private get isAtHome(): boolean {
    const { origin, pathname } = new URL(this.page.url());
    return origin === new URL(this.home).origin && /^\/(ui|admin)(\/|$)/.test(pathname);
  }

  /** A text of the page, in the language that the visitor reads. */
  private read(text: string): string | RegExp {
    return this.user.language === 'en' ? text : readPseudo(text);
  }

  private named(text: string): string | RegExp {
    return this.user.language === 'en' ? text : readPseudo(text, { isWhole: true });
  }

  private async use(element: Locator, key = 'Enter'): Promise<void> {
    await this.look(element);
    if (this.user.hasMouse) return element.click();
    await this.reach(element);
    await this.page.keyboard.press(key);
  }

  private async write(field: Locator, value: string): Promise<void> {
    allow(value);
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

  /** What the page shows, or a part of it. */
  async text(part = this.page.locator('body')): Promise<string> {
    return this.understand(await part.innerText());
  }

  /** What each of some elements shows. */
  async texts(elements: Locator): Promise<string[]> {
    return (await elements.allInnerTexts()).map((text) => this.understand(text));
  }

  private understand(text: string): string {
    return this.user.language === 'en' ? text : fromPseudo(text);
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
