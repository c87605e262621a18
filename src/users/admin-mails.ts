import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { MembershipOfUser } from '../accounts/memberships.repository.js';
import type { Org } from '../accounts/org.entity.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';
import { MailComposer } from '../mail/mail-composer.js';
import type { Mail } from '../mail/mailer.js';
import type { FactorsRequest, Messages } from '../mail/messages.js';
import { OutboxRepository } from '../mail/outbox.repository.js';
import type { Reader } from '../words/languages.js';
import { type FoundGrant, RecentActsRepository } from './recent-acts.repository.js';

/** An admin who is told. */
type Peer = Reader & { email: string };

/** The admin whom a mail is about. */
type Admin = Pick<User, 'id' | 'email' | 'orgId' | 'locale' | 'timeZone'>;

/** Mails that tell admins who becomes one of them, and whose account an intruder may have used. */
@Injectable()
export class AdminMails {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly acts: RecentActsRepository,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Tells a user whose role has risen to an admin's, and the other admins of that rank. */
  async roleRaised(admin: Admin, from: Role | null, to: Role, tx: Transaction): Promise<void> {
    if (!isRise(from, to)) return;
    const org = await this.orgOf(admin, to, tx);
    const reader = { ...admin, orgLocale: org?.locale };
    await this.outbox.post(this.composer.for(reader).roleRaised(admin.email, org?.name ?? null), tx);
    await this.peerAppointed(admin, from, to, tx);
  }

  /** Tells all SYSTEM_ADMINs that an admin of an organization asks them to reset the second factors of a member. */
  async factorsResetRequested(request: FactorsRequest, memberId: string, tx: Transaction): Promise<void> {
    for (const peer of await this.admins.findPeers({ id: memberId, orgId: null }, Role.SYSTEM_ADMIN, tx)) {
      const mail = this.composer.for(peer).factorsResetRequested(peer.email, request);
      await this.outbox.post(mail, tx);
    }
  }

  /** Tells only the other admins of the rank: the user has another mail about it. */
  async peerAppointed(admin: Admin, from: Role | null, to: Role, tx: Transaction): Promise<void> {
    if (!isRise(from, to)) return;
    const org = await this.orgOf(admin, to, tx);
    const write = (messages: Messages, peer: string) =>
      messages.adminAdded(peer, admin.email, org?.name ?? null);
    await this.tellPeers(admin, to, write, tx);
  }

  /**
   * Tells that an account was secured which is an admin's, or was one when it changed the roles of others lately: the
   * admins beside it, with all of those changes, and every user whose role it changed. Returns the changes.
   */
  async accountSecured(user: User, memberships: MembershipOfUser[], tx: Transaction): Promise<FoundGrant[]> {
    const grants = await this.acts.findGrantsBy(user.id, tx);
    const peers = await this.peersOf(user, memberships, grants, tx);
    for (const { peer, orgIds } of peers.values()) {
      const theirs = orgIds.has(null) ? grants : grants.filter(({ orgId }) => orgIds.has(orgId));
      await this.outbox.post(this.composer.for(peer).adminSecured(peer.email, user.email, theirs), tx);
    }
    const told = new Set([user.email, ...peers.keys()]);
    for (const { email, isReachable, reader } of grants) {
      if (email === null || !isReachable || told.has(email)) continue;
      told.add(email);
      const theirs = grants.filter((grant) => grant.email === email);
      await this.outbox.post(this.composer.for(reader).roleChangedBySecured(email, user.email, theirs), tx);
    }
    return grants;
  }

  /** The admins beside a user, by address, and where each is one: null for the whole service. */
  private async peersOf(user: User, memberships: MembershipOfUser[], grants: FoundGrant[], tx: Transaction) {
    const peers = new Map<string, { peer: Peer; orgIds: Set<string | null> }>();
    for (const { role, orgId } of domainsOf(user, memberships, grants))
      for (const peer of await this.admins.findPeers({ id: user.id, orgId }, role, tx)) {
        const known = peers.get(peer.email) ?? { peer, orgIds: new Set() };
        peers.set(peer.email, known);
        known.orgIds.add(orgId);
      }
    peers.delete(user.email);
    return peers;
  }

  private async tellPeers(
    admin: Admin,
    role: Role,
    write: (messages: Messages, peer: string) => Mail,
    tx: Transaction,
  ) {
    for (const peer of await this.admins.findPeers(admin, role, tx))
      await this.outbox.post(write(this.composer.for(peer), peer.email), tx);
  }

  /** Null for a SYSTEM_ADMIN, who administers the whole service. */
  private async orgOf(
    { orgId }: Admin,
    role: Role,
    tx: Transaction,
  ): Promise<Pick<Org, 'name' | 'locale'> | null> {
    if (role === Role.SYSTEM_ADMIN || orgId === null) return null;
    return this.admins.findOrg(orgId, tx);
  }
}

/** Where a user administers something, or did when they changed the roles of others. */
function domainsOf(
  { ownRole }: User,
  memberships: MembershipOfUser[],
  grants: FoundGrant[],
): { role: Role; orgId: string | null }[] {
  if (ownRole === Role.SYSTEM_ADMIN) return [{ role: ownRole, orgId: null }];
  const own = memberships.filter(({ role }) => role === Role.ORG_ADMIN).map(({ orgId }) => orgId);
  const orgIds = new Set([...own, ...grants.map((grant) => grant.orgId)]);
  return [...orgIds].map((id) => ({ role: id === null ? Role.SYSTEM_ADMIN : Role.ORG_ADMIN, orgId: id }));
}

function isRise(from: Role | null, to: Role): boolean {
  return isAtLeast(to, Role.ORG_ADMIN) && (from === null || !isAtLeast(from, to));
}
