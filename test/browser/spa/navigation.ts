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

export function say(message: string): void {
  find(document, '#message').textContent = message;
}
