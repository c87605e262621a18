import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, Raw } from 'typeorm';
import { Invitation } from './invitation.entity.js';

/** Offers to join an organization. */
@Injectable()
export class InvitationsService {
  /** Whether an address has an invitation to take up. */
  isPending(tokenHash: Buffer, email: string, manager: EntityManager): Promise<boolean> {
    return manager.existsBy(Invitation, pending(tokenHash, email));
  }

  /**
   * Takes the invitation of an address up, once. Returns null when there is none to take: it is unknown, for
   * another address, expired, revoked or accepted.
   */
  async accept(tokenHash: Buffer, email: string, manager: EntityManager): Promise<Invitation | null> {
    const where = pending(tokenHash, email);
    const invitation = await manager.findOne(Invitation, { where, lock: { mode: 'pessimistic_write' } });
    if (invitation) await manager.update(Invitation, { id: invitation.id }, { acceptedAt: () => 'now()' });
    return invitation;
  }
}

function pending(tokenHash: Buffer, email: string) {
  const expiresAt = Raw((column) => `${column} > now()`);
  return { tokenHash, email, acceptedAt: IsNull(), revokedAt: IsNull(), expiresAt };
}
