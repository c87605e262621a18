import type { ComponentChildren } from 'preact';
import { Rich, Word } from './say.js';

/** Which account at a provider is linked, and since when. */
export function LinkedSince({ email, day }: { email: string | null; day: ComponentChildren }) {
  return email ? (
    <Rich word={Word['account.logins.linkedAs']} given={{ email, day }} />
  ) : (
    <Rich word={Word['account.logins.linked']} given={{ day }} />
  );
}
