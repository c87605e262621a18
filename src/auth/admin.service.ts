import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../mail/links.js';
import { UsersRepository } from '../users/users.repository.js';
import { OneTimeTokens } from './one-time-tokens.js';

/** What became of an address that was to be a SYSTEM_ADMIN. */
export interface Appointment {
  wasCreated: boolean;
  /** Where the admin sets a password; null when the account has one. */
  passwordLink: string | null;
}

/** Appoints the people who run the service. There is no default account: the first one is made on the command line. */
@Injectable()
export class AdminService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly database: DataSource,
    private readonly links: Links,
  ) {}

  /** Makes the account of an address a SYSTEM_ADMIN, and makes the account if there is none. */
  appoint(email: string): Promise<Appointment> {
    return this.database.transaction(async (manager) => {
      const { wasCreated, hasPassword, isDisabled } = await this.users.makeSystemAdmin(email, manager);
      if (isDisabled) throw new Error(`The account of ${email} is disabled.`);
      if (hasPassword) return { wasCreated, passwordLink: null };

      const issued = await this.tokens.issue(email, 'reset-password', manager);
      return { wasCreated, passwordLink: issued && this.links.resetPassword(issued.token) };
    });
  }
}
