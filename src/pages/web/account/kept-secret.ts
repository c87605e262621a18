/** How long the service takes the code of a new secret. */
const LIFE_MS = 3_600_000;

export interface Secret {
  secret: string;
  uri: string;
}

/**
 * Keeps the secret of an authenticator app with this entry of the history until it is confirmed, so that a reload shows
 * the one that the user may have scanned already. The service gives out none twice: a thief who begins first would know
 * what the owner then confirms. `owner` says whose it is.
 */
export function keepSecret(owner: string, { secret, uri }: Secret): void {
  history.replaceState({ owner, secret, uri, until: Date.now() + LIFE_MS }, '');
}

/** Returns null where this page has shown none, or it is another person's or too old. */
export function keptSecret(owner: string): Secret | null {
  const kept = history.state;
  return kept?.owner === owner && kept.until > Date.now() ? { secret: kept.secret, uri: kept.uri } : null;
}

export function forgetSecret(): void {
  history.replaceState(null, '');
}
