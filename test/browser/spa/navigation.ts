import { find } from './view.js';

let parting = '';

/**
 * Goes to another page, which says something. A form that was sent, or a link that is used up, is nothing to come
 * back to.
 */
export function go(path: string, message = ''): void {
  parting = message;
  location.replace(path);
}

/** Goes on after a login to a page, or first to the second step if the service asks for one. */
export function goOn(login: object, address: string, message = ''): void {
  const { pathname, search, hash } = new URL(address, location.origin);
  const returnTo = new URLSearchParams({ return_to: pathname + search + hash });
  if ('pending_login' in login) go(`/second-step?${returnTo}`);
  else go(address, message);
}

/** Lets the user log in, and come back. */
export function goToLogin(): void {
  const here = new URLSearchParams({ return_to: location.pathname + location.search });
  go(`/login?${here}`, 'Please log in.');
}

/** What the last page wanted to be said on this one, once. */
export function takeParting(): string {
  const message = parting;
  parting = '';
  return message;
}

/** Says something at the top of the page or of its dialog, and brings it into view: screen readers read it out. */
export function say(message: string, isFault = false): void {
  const dialog = document.querySelector('dialog[open]');
  const place = find(dialog ?? document, '.message');
  place.textContent = message;
  place.classList.toggle('fault', isFault);
  if (message) place.focus();
}

export function sayFault(message: string): void {
  say(message, true);
}
