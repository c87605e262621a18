import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';
import { AccountMails } from '../mail/account-mails.js';
import { MailComposer } from '../mail/mail-composer.js';
import { OutboxRepository } from '../mail/outbox.repository.js';

/** What a mail needs to know of a user whom it tells what an admin did. */
type ToldUser = Pick<User, 'email' | 'locale' | 'timeZone'>;

/** Mails that tell users what became of their membership of an organization, and of their role. */
@Injectable()
export class MembershipMails {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly accountMails: AccountMails,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Tells a user who has joined an organization with a role. An intruder may have done it, hence the link that undoes it. */
  async joined(user: Pick<User, 'id' | 'email'>, orgId: string, role: Role, tx: Transaction): Promise<void> {
    const { name } = await this.admins.findOrg(orgId, tx);
    await this.accountMails.memberJoined(user, name, role, tx);
  }

  /** Tells a user who has founded an organization, with the link of `joined`. */
  async founded(user: Pick<User, 'id' | 'email'>, orgId: string, tx: Transaction): Promise<void> {
    const { name } = await this.admins.findOrg(orgId, tx);
    await this.accountMails.orgFounded(user, name, tx);
  }

  /** Tells a user who has left an organization, which still exists. An intruder may have done it. */
  async left(user: Pick<User, 'id' | 'email'>, orgId: string, tx: Transaction): Promise<void> {
    const { name } = await this.admins.findOrg(orgId, tx);
    await this.accountMails.memberLeft(user, name, tx);
  }

  /** Tells a user whose role has fallen: in their organization, or that of a SYSTEM_ADMIN. */
  async roleLowered(user: User, from: Role, to: Role, tx: Transaction): Promise<void> {
    if (isAtLeast(to, from)) return;
    const { email, orgId } = user;
    const isOfService = from === Role.SYSTEM_ADMIN || orgId === null;
    const org = isOfService ? null : await this.admins.findOrg(orgId, tx);
    const reader = { ...user, orgLocale: org?.locale };
    await this.outbox.post(this.composer.for(reader).roleLowered(email, to, org?.name ?? null), tx);
  }

  /** Tells a user whom an admin keeps out of an organization. */
  async suspended(user: ToldUser, orgId: string, tx: Transaction): Promise<void> {
    const { name, locale: orgLocale } = await this.admins.findOrg(orgId, tx);
    const mail = this.composer.for({ ...user, orgLocale }).memberSuspended(user.email, name);
    await this.outbox.post(mail, tx);
  }

  /** Tells a user whom an admin lets into an organization again. */
  async resumed(user: ToldUser, orgId: string, tx: Transaction): Promise<void> {
    const { name, locale: orgLocale } = await this.admins.findOrg(orgId, tx);
    const mail = this.composer.for({ ...user, orgLocale }).memberResumed(user.email, name);
    await this.outbox.post(mail, tx);
  }

  /** Tells users whom an admin took out of an organization. */
  async removed(users: ToldUser[], orgId: string, tx: Transaction): Promise<void> {
    const org = await this.admins.findOrg(orgId, tx);
    for (const user of users) {
      const mail = this.composer.for({ ...user, orgLocale: org.locale }).memberRemoved(user.email, org.name);
      await this.outbox.post(mail, tx);
    }
  }
}
