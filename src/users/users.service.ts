import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import type { Actor } from '../http/caller.js';
import type { User } from './user.entity.js';
import type { UpdateMe } from './users.dto.js';
import { UsersRepository } from './users.repository.js';

/** What users change about themselves. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Changes what is given and leaves the rest; `null` takes the name away. */
  async update(user: User, { name = user.name }: UpdateMe, by: Actor): Promise<User> {
    const { id: userId, orgId } = user;
    await this.transactions.run(by, async (tx) => {
      await this.users.rename(userId, name, tx);
      await tx.record('account.updated', { userId, orgId });
    });
    return { ...user, name };
  }
}
