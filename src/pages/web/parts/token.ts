/**
 * The token of a mailed link, or the code in the link to log in. This file is the first that the script imports: the token is out of the address before
 * anything else runs, so that neither the history nor a copied address has it. Until it is used it stays with the tab,
 * for a reload and for the way through the login.
 */
const KEY = `token of ${location.pathname}`;

const here = new URL(location.href);
const inAddress = here.searchParams.get('token') ?? here.searchParams.get('code');
if (inAddress !== null) {
  sessionStorage.setItem(KEY, inAddress);
  for (const name of ['token', 'code']) here.searchParams.delete(name);
  history.replaceState(history.state, '', here);
}

/** The token that this page was opened with, or an empty text. */
export function mailedToken(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

/** Forgets the token, which is used up. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}
