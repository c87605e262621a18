import type { TestApp } from './test-app.js';

/** Lets time pass for the signups of an address, once their mails are written. */
export async function later(app: TestApp, email: string, interval: string): Promise<void> {
  await app.mailbox.to(email);
  await app.database.rows(
    `UPDATE signups SET mail_asked_at = mail_asked_at - $2::interval, created_at = created_at - $2::interval,
            expires_at = expires_at - $2::interval
      WHERE email = $1`,
    [email, interval],
  );
}

/** The live signups of an address, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the columns.
export async function signupsOf(app: TestApp, email: string): Promise<any[]> {
  return app.database.rows(
    'SELECT * FROM signups WHERE email = $1 AND expires_at > now() ORDER BY created_at, id',
    [email],
  );
}
