import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { LastLogin } from './last-login.entity.js';

@Injectable()
export class LastLoginsRepository {
  constructor(private readonly database: DataSource) {}

  /** When some users last logged in, by their ids; who never did is not among them. */
  async findOf(userIds: string[]): Promise<Map<string, Date>> {
    const logins = await this.database.manager.findBy(LastLogin, { userId: In(userIds) });
    return new Map(logins.map(({ userId, loggedInAt }) => [userId, loggedInAt]));
  }
}
