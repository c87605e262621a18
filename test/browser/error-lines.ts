import type { BrowserContext, Page } from 'playwright-core';

/** The browser's own line about an answer that says no. */
const REFUSAL = /^Failed to load resource: the server responded with a status of (4\d\d)/;

/** The first question of each page, where its visitor is not logged in. */
const NOT_LOGGED_IN = '401 /users/me';

const faults: string[] = [];

/** The faults of pages since the last call. */
export function takePageFaults(): string[] {
  return faults.splice(0);
}

/**
 * The errors in the browser of one visitor: what a script throws, and every line of an error in the console, a breach of the
 * policy of the page included. Each is a fault, but for the refusals that the story names.
 */
export class ErrorLines {
  private readonly expected = [NOT_LOGGED_IN];

  constructor(
    context: BrowserContext,
    /** Pages of other origins may have any error. */
    private readonly origin: string,
  ) {
    context.on('weberror', (thrown) => this.note(String(thrown.error()), thrown.page()));
    context.on('console', (message) => {
      if (message.type() !== 'error') return;
      const [, status] = REFUSAL.exec(message.text()) ?? [];
      const refusal = status && `${status} ${new URL(message.location().url).pathname}`;
      this.note(message.text(), message.page(), refusal);
    });
  }

  /** Lets a refusal be written, such as `403 /users/{id}`. */
  expect(refusal: string): void {
    this.expected.push(refusal);
  }

  private note(fault: string, page: Page | null, refusal?: string): void {
    const address = page?.url() ?? '';
    if (new URL(address || 'about:blank').origin !== this.origin) return;
    if (refusal && this.expected.some((named) => fits(refusal, named))) return;
    faults.push(`${refusal ? `An unnamed refusal, ${refusal}` : fault} (on ${address})`);
  }
}

/** Whether a refusal is one that a story has named, with `{id}` in place of any id. */
function fits(refusal: string, named: string): boolean {
  const [actual, wanted] = [refusal.split('/'), named.split('/')];
  return (
    actual.length === wanted.length &&
    wanted.every((step, index) => step === '{id}' || step === actual[index])
  );
}
