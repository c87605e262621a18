/** The token of the first link in a mail, or in what a command prints; empty when there is none. */
export function tokenIn(text: string): string {
  return /\btoken=([\w-]+)/.exec(text)?.[1] ?? '';
}
