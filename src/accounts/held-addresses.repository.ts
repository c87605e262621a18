/**
 * Whether an address is kept for an account that its owner can bring back to it; the account of a user is no obstacle to
 * that user. A stranger who took the address meanwhile would keep the owner out.
 */
export function isHeldSql(email: string, userId = 'NULL'): string {
  return `EXISTS (
    SELECT FROM email_changes c
     WHERE c.old_email = ${email} AND c.expires_at > now() AND c.undone_at IS NULL AND c.user_id IS DISTINCT FROM ${userId})`;
}
