import { IsNull } from 'typeorm';
import { Session } from '../accounts/session.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { Unauthenticated } from '../http/errors.js';

/**
 * Throws Unauthenticated when the session of the request has ended since the guard looked at it: an owner who secures the
 * account ends an intruder's, whose requests may wait for the locks that the owner holds. Called under those locks.
 */
export async function assertLoggedIn(tx: Transaction): Promise<void> {
  const { sessionId: id } = tx.by;
  const isActive = id !== null && (await tx.manager.existsBy(Session, { id, invalidatedAt: IsNull() }));
  if (!isActive) throw new Unauthenticated();
}
