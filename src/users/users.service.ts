import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/audit.js';
import type { Actor } from '../http/caller.js';
import type { User } from './user.entity.js';
import type { UpdateMe } from './users.dto.js';
import { UsersRepository } from './users.repository.js';

/** What users change about themselves. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly database: DataSource,
    private readonly audit: Audit,
  ) {}

  /** Changes what is given and leaves the rest; `null` takes the name away. */
  async update(user: User, { name = user.name }: UpdateMe, by: Actor): Promise<User> {
    const { id: userId, orgId } = user;
    await this.database.transaction(async (manager) => {
      await this.users.rename(userId, name, manager);
      await this.audit.record({ type: 'account.updated', by, userId, orgId }, manager);
    });
    return { ...user, name };
  }
}
