import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';
import { AccountMails } from '../mail/account-mails.js';
import { Messages } from '../mail/messages.js';
import { OutboxRepository } from '../mail/outbox.repository.js';

/** Mails that tell users what became of their membership of an organization, and of their role. */
@Injectable()
export class MembershipMails {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly accountMails: AccountMails,
    private readonly messages: Messages,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Tells a user who has joined an organization with a role. An intruder may have done it, hence the link that undoes it. */
  async joined(user: Pick<User, 'id' | 'email'>, orgId: string, role: Role, tx: Transaction): Promise<void> {
    await this.accountMails.memberJoined(user, await this.admins.findOrgName(orgId, tx), role, tx);
  }

  /** Tells a user who has founded an organization, with the link of `joined`. */
  async founded(user: Pick<User, 'id' | 'email'>, orgId: string, tx: Transaction): Promise<void> {
    await this.accountMails.orgFounded(user, await this.admins.findOrgName(orgId, tx), tx);
  }

  /** Tells a user who has left an organization, which still exists. An intruder may have done it. */
  async left(user: Pick<User, 'id' | 'email'>, orgId: string, tx: Transaction): Promise<void> {
    await this.accountMails.memberLeft(user, await this.admins.findOrgName(orgId, tx), tx);
  }

  /** Tells a user whose role has fallen: in their organization, or that of a SYSTEM_ADMIN. */
  async roleLowered({ email, orgId }: User, from: Role, to: Role, tx: Transaction): Promise<void> {
    if (isAtLeast(to, from)) return;
    const isOfService = from === Role.SYSTEM_ADMIN || orgId === null;
    const orgName = isOfService ? null : await this.admins.findOrgName(orgId, tx);
    await this.outbox.post(this.messages.roleLowered(email, to, orgName), tx);
  }

  /** Tells users whom an admin took out of an organization. */
  async removed(users: Pick<User, 'email'>[], orgId: string, tx: Transaction): Promise<void> {
    const orgName = await this.admins.findOrgName(orgId, tx);
    for (const { email } of users) await this.outbox.post(this.messages.memberRemoved(email, orgName), tx);
  }
}
