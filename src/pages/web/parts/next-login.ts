const KEY = 'address of the next login';

/** Fills the address of the login that this tab leads to next. Call it only with one that the service has named. */
export function fillNextLogin(email: string): void {
  sessionStorage.setItem(KEY, email);
}

/** The address that the next login begins with, or an empty text. */
export function addressOfNextLogin(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

/** Called once a login has succeeded: the next person at this browser begins with nothing. */
export function forgetNextLogin(): void {
  sessionStorage.removeItem(KEY);
}
