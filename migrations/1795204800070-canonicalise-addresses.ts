import type { MigrationInterface, QueryRunner } from 'typeorm';
import { canonicalAddress } from '../src/validation/address.js';

/** Where addresses stand that are compared with those of users. */
const COLUMNS = [
  ['signups', 'email'],
  ['invitations', 'email'],
  ['one_time_tokens', 'sent_to'],
  ['email_changes', 'old_email'],
  ['identities', 'email'],
];

/**
 * Brings addresses to the form with an NFC local part and an ASCII domain. A user stays as they are where another one
 * has the address in that form: which of the two accounts is whose is for an operator to decide, and `doctor` names them.
 */
export class CanonicaliseAddresses1795204800070 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    // Of two who meet in one form, the one who proved the address gets it, else the older one.
    for (const email of await this.outdated(database, 'users', 'email', 'email_verified_at NULLS LAST, id'))
      await database.query(
        'UPDATE users SET email = $2 WHERE email = $1 AND NOT EXISTS (SELECT FROM users WHERE email = $2)',
        [email, canonicalAddress(email)],
      );

    for (const [table, column] of COLUMNS as [string, string][])
      for (const email of await this.outdated(database, table, column, column))
        await database.query(
          `UPDATE ${table} SET ${column} = $2
            WHERE ${column} = $1 AND NOT EXISTS (SELECT FROM users WHERE email = $1)
              ${table === 'invitations' ? UNLESS_INVITED_TWICE : ''}`,
          [email, canonicalAddress(email)],
        );
  }

  /** The former forms are not kept, and the earlier version takes the new one. */
  async down(): Promise<void> {}

  /** The addresses of a column that would be written otherwise now; ASCII alone was in its form before. */
  private async outdated(
    database: QueryRunner,
    table: string,
    column: string,
    order: string,
  ): Promise<string[]> {
    const rows: { email: string }[] = await database.query(
      `SELECT ${column} AS email FROM ${table} WHERE octet_length(${column}) > char_length(${column}) ORDER BY ${order}`,
    );
    const emails = new Set(rows.map(({ email }) => email));
    return [...emails].filter((email) => ![email, null].includes(canonicalAddress(email)));
  }
}

/** An organization has one open invitation for an address. */
const UNLESS_INVITED_TWICE = `
  AND (accepted_at IS NOT NULL OR revoked_at IS NOT NULL OR NOT EXISTS (
    SELECT FROM invitations other
     WHERE other.org_id = invitations.org_id AND other.email = $2
       AND other.accepted_at IS NULL AND other.revoked_at IS NULL))`;
