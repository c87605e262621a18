import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import type { Role } from '../http/role.js';
import { User } from '../users/user.entity.js';

@Injectable()
export class MembersRepository {
  constructor(private readonly database: DataSource) {}

  /** A page of an organization's members, newest first, from below an id. */
  findOf(orgId: string, before: string | null, limit: number): Promise<User[]> {
    const isBefore = before === null ? {} : { id: LessThan(before) };
    return this.database.manager.find(User, {
      where: { orgId, ...isBefore },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** A member whom nobody else changes until the transaction ends. */
  lock(orgId: string, id: string, tx: Transaction): Promise<User | null> {
    return tx.manager.findOne(User, { where: { id, orgId }, lock: { mode: 'pessimistic_write' } });
  }

  async setRole(id: string, role: Role, tx: Transaction): Promise<void> {
    await tx.manager.update(User, { id }, { role });
  }
}
