import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';
import type { Mail } from '../mail/mailer.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import { AdminsRepository } from './admins.repository.js';
import type { User } from './user.entity.js';

/** The admin whom a mail is about. */
type Admin = Pick<User, 'id' | 'email' | 'orgId'>;

/** Mails that tell admins who becomes one of them, and whose account an intruder may have used. */
@Injectable()
export class AdminMails {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
  ) {}

  /** Tells a user whose role has risen to an admin's, and the other admins of that rank. */
  async roleRaised(admin: Admin, from: Role | null, to: Role, tx: Transaction): Promise<void> {
    if (!isRise(from, to)) return;
    const org = await this.orgNameOf(admin, to, tx);
    await this.outbox.post(this.messages.roleRaised(admin.email, org), tx);
    await this.peerAppointed(admin, from, to, tx);
  }

  /** Tells only the other admins of the rank: the user has another mail about it. */
  async peerAppointed(admin: Admin, from: Role | null, to: Role, tx: Transaction): Promise<void> {
    if (!isRise(from, to)) return;
    const org = await this.orgNameOf(admin, to, tx);
    await this.tellPeers(admin, to, (peer) => this.messages.adminAdded(peer, admin.email, org), tx);
  }

  /** Tells the other admins of the rank that an account was secured, and what it had granted lately. */
  async accountSecured(user: User, tx: Transaction): Promise<void> {
    if (!isAtLeast(user.role, Role.ORG_ADMIN)) return;
    const orgId = user.role === Role.SYSTEM_ADMIN ? null : user.orgId;
    const grants = await this.admins.findGrantsBy(user.id, orgId, tx);
    await this.tellPeers(user, user.role, (peer) => this.messages.adminSecured(peer, user.email, grants), tx);
  }

  private async tellPeers(admin: Admin, role: Role, write: (peer: string) => Mail, tx: Transaction) {
    for (const peer of await this.admins.findPeers(admin, role, tx)) await this.outbox.post(write(peer), tx);
  }

  /** Null for a SYSTEM_ADMIN, who administers the whole service. */
  private async orgNameOf({ orgId }: Admin, role: Role, tx: Transaction): Promise<string | null> {
    if (role === Role.SYSTEM_ADMIN || orgId === null) return null;
    return this.admins.findOrgName(orgId, tx);
  }
}

function isRise(from: Role | null, to: Role): boolean {
  return isAtLeast(to, Role.ORG_ADMIN) && (from === null || !isAtLeast(from, to));
}
