import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';
import type { Mail } from '../mail/mailer.js';
import { Messages } from '../mail/messages.js';
import { OutboxRepository } from '../mail/outbox.repository.js';
import { type FoundGrant, RecentActsRepository } from './recent-acts.repository.js';

/** The admin whom a mail is about. */
type Admin = Pick<User, 'id' | 'email' | 'orgId'>;

/** Mails that tell admins who becomes one of them, and whose account an intruder may have used. */
@Injectable()
export class AdminMails {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly acts: RecentActsRepository,
    private readonly messages: Messages,
    private readonly outbox: OutboxRepository,
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

  /**
   * Tells that an account was secured which is an admin's, or was one when it changed the roles of others lately: the
   * admins beside it, with all of those changes, and every user whose role it changed. Returns the changes.
   */
  async accountSecured(user: User, tx: Transaction): Promise<FoundGrant[]> {
    const grants = await this.acts.findGrantsBy(user.id, tx);
    const told = new Set([user.email]);
    for (const { role, orgId } of domainsOf(user, grants)) {
      const theirs = role === Role.SYSTEM_ADMIN ? grants : grants.filter((grant) => grant.orgId === orgId);
      for (const peer of await this.admins.findPeers({ id: user.id, orgId }, role, tx)) {
        if (told.has(peer)) continue;
        told.add(peer);
        await this.outbox.post(this.messages.adminSecured(peer, user.email, theirs), tx);
      }
    }
    for (const { email, isReachable } of grants) {
      if (email === null || !isReachable || told.has(email)) continue;
      told.add(email);
      const theirs = grants.filter((grant) => grant.email === email);
      await this.outbox.post(this.messages.roleChangedBySecured(email, user.email, theirs), tx);
    }
    return grants;
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

/** Where a user administers something, or did when they changed the roles of others. */
function domainsOf({ role, orgId }: User, grants: FoundGrant[]): { role: Role; orgId: string | null }[] {
  if (role === Role.SYSTEM_ADMIN) return [{ role, orgId: null }];
  const own = isAtLeast(role, Role.ORG_ADMIN) && orgId !== null ? [orgId] : [];
  const orgIds = new Set([...own, ...grants.map((grant) => grant.orgId)]);
  return [...orgIds].map((id) => ({ role: id === null ? Role.SYSTEM_ADMIN : Role.ORG_ADMIN, orgId: id }));
}

function isRise(from: Role | null, to: Role): boolean {
  return isAtLeast(to, Role.ORG_ADMIN) && (from === null || !isAtLeast(from, to));
}
