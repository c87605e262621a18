import { Injectable } from '@nestjs/common';
import type { User } from './user.entity.js';
import type { UpdateMe } from './users.dto.js';
import { UsersRepository } from './users.repository.js';

/** What users change about themselves. */
@Injectable()
export class UsersService {
  constructor(private readonly users: UsersRepository) {}

  /** Changes what is given and leaves the rest; `null` takes the name away. */
  async update(user: User, { name = user.name }: UpdateMe): Promise<User> {
    await this.users.rename(user.id, name);
    return { ...user, name };
  }
}
