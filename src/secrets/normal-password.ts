/**
 * The form in which a password is hashed, compared and judged: keyboards write one letter in several ways (NIST SP
 * 800-63B §3.1.1.2). A caller bounds the length before, because the work may grow faster than the text.
 */
export function normalPassword(password: string): string {
  return password.normalize('NFKC');
}
