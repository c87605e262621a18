import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Actor, Audit } from '../audit/audit.js';
import { InvalidToken } from '../errors/errors.js';
import { UsersRepository } from '../users/users.repository.js';

/** Gives an account the address whose mail its owner has shown to read. */
@Injectable()
export class ProvenAddresses {
  constructor(
    private readonly users: UsersRepository,
    private readonly audit: Audit,
  ) {}

  /**
   * Takes the address from an account that never verified it, if it has one: whoever signed up there may well have
   * been a stranger. Throws InvalidToken when the address has another account all the same.
   */
  async give(userId: string, email: string, by: Actor, manager: EntityManager): Promise<void> {
    const deleted = await this.users.deleteUnverifiedAt(email, manager);
    if (deleted) {
      const { id, orgId } = deleted;
      await this.audit.record({ type: 'account.deleted', by, userId: id, orgId }, manager);
    }
    if (!(await this.users.changeEmail(userId, email, manager))) throw new InvalidToken();
  }
}
