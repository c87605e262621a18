import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';

/** The work that only one replica may do at a time. Any numbers will do, if they are the same on every replica. */
const LOCKS = {
  migrate: 5_234_001,
  prune: 5_234_002,
  'link-audit-events': 5_234_003,
  signups: 5_234_004,
  import: 5_234_005,
};

const POLL_MS = 100;

/** What sends statements within a transaction. */
type Statements = Pick<EntityManager, 'query'>;

// The locks belong to a transaction, not to its connection, so that they also hold behind PgBouncer.

/**
 * Waits for a lock, and holds it until the transaction ends. It asks again and again: a statement that waited would keep
 * its snapshot, and an index that the holder of the lock builds concurrently waits for all older snapshots.
 */
export async function waitForLock(name: keyof typeof LOCKS, tx: Statements): Promise<void> {
  while (!(await tryLock(name, tx))) await sleep(POLL_MS);
}

/** Waits for the lock of one subject among others, and holds it until the transaction ends. */
export async function waitForLockOn(
  name: keyof typeof LOCKS,
  subject: string,
  tx: Statements,
): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS[name], subject]);
}

/**
 * Holds a lock until the transaction ends. Returns false when another replica holds it. The transaction may be idle for as
 * long as its holder works on other connections, whatever limit the role or the database has for that.
 */
export async function tryLock(name: keyof typeof LOCKS, tx: Statements): Promise<boolean> {
  // Without a parameter, after which PostgreSQL would keep the snapshot until the next statement.
  const [lock] = await tx.query(
    `SELECT pg_try_advisory_xact_lock(${LOCKS[name]}) AS held,
            set_config('idle_in_transaction_session_timeout', '0', true)`,
  );
  return lock.held;
}

/** Throws when the connection of a transaction that holds a lock is gone, and the lock with it. */
export async function assertStillHeld(tx: Statements): Promise<void> {
  await tx.query('SELECT 1');
}
