import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Audit } from '../audit/audit.js';
import type { AuditType } from '../audit/audit-types.js';
import type { Actor } from '../http/caller.js';
import {
  AlreadyMember,
  InvalidToken,
  InvitationDeclined,
  NotFound,
  TooManyRequests,
} from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import { Limits } from '../rate-limits/limits.js';
import { hashToken, mintToken } from '../secrets/token.js';
import type { User } from '../users/user.entity.js';
import type { Invitation } from './invitation.entity.js';
import type { JudgedInvitation } from './invitation.view.js';
import { type InvitationPreview, InvitationsRepository } from './invitations.repository.js';
import { requireOrgAdmin } from './org-authority.js';
import type { Organization } from './organization.entity.js';
import type { InvitationsQuery, Invite } from './orgs.dto.js';
import { OrgsRepository } from './orgs.repository.js';

const MAX_AGE_SECONDS = 7 * 86_400;
const MAX_PENDING = 50;
const MAX_MAILS_A_DAY = 100;

/** Of an organization less than a day old, which anybody may have made for nothing but its mails. */
const MAX_MAILS_OF_NEW = 20;

/** Nobody knows when a pending invitation will be taken up. */
const PENDING_RETRY_AFTER_SECONDS = 3600;

/** Offers to join an organization, from the mail that makes one to what becomes of it. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly orgs: OrgsRepository,
    private readonly database: DataSource,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
    private readonly limits: Limits,
    private readonly audit: Audit,
  ) {}

  /** Invites an address, in place of the invitation it still has open. */
  async invite(inviter: User, orgId: string, invite: Invite, by: Actor): Promise<JudgedInvitation> {
    return this.send(inviter, orgId, by, async (manager) => {
      if (await this.invitations.isMember(orgId, invite.email, manager)) throw new AlreadyMember();
      return invite;
    });
  }

  /** Sends an open invitation again with a fresh link, and as long to go as a new one; the earlier link dies. */
  async resend(inviter: User, orgId: string, id: string, by: Actor): Promise<void> {
    await this.send(inviter, orgId, by, async (manager) => {
      const open = await this.invitations.findOpen(orgId, id, manager);
      if (!open) throw new NotFound();
      return open;
    });
  }

  /** Issues an invitation, and posts the mail that alone carries its token. Throws TooManyRequests. */
  async issue(
    inviter: User,
    org: Pick<Organization, 'id' | 'name'>,
    { email, role }: Invite,
    by: Actor,
    manager: EntityManager,
  ): Promise<JudgedInvitation> {
    await this.limits.take('mailPerAddress', email);
    const token = mintToken();
    const invitation = await this.invitations.upsert(
      {
        id: uuidv7(),
        orgId: org.id,
        email,
        role,
        invitedBy: inviter.id,
        tokenHash: hashToken(token),
        maxAgeSeconds: MAX_AGE_SECONDS,
      },
      manager,
    );
    await this.invitations.insertMail(org.id, manager);
    const { expiresAt } = invitation;
    const mail = this.messages.invitation({ to: email, orgName: org.name, token, expiresAt });
    await this.outbox.post(mail, manager);
    await this.record('invitation.sent', by, invitation, manager);
    return invitation;
  }

  async list(orgId: string, query: InvitationsQuery): Promise<Page<JudgedInvitation>> {
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const { status = null } = query;
    return pageOf(query, (before, limit) => this.invitations.findOf(orgId, status, before, limit));
  }

  /** Takes an open invitation back. */
  async revoke(caller: User, orgId: string, id: string, by: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await this.orgs.lock(orgId, manager))) throw new NotFound();
      await requireOrgAdmin(caller, orgId, manager);
      const revoked = await this.invitations.revoke({ orgId, id }, manager);
      if (!revoked) throw new NotFound();
      await this.record('invitation.revoked', by, revoked, manager);
    });
  }

  /** What a pending invitation offers. Throws InvalidToken. */
  async preview(token: string): Promise<InvitationPreview> {
    const preview = await this.invitations.findPreview(hashToken(token));
    if (!preview) throw new InvalidToken();
    return preview;
  }

  /** Turns an invitation down, and the organization's further ones for a while. Throws InvalidToken. */
  async decline(token: string, by: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.holdOrganization(hashToken(token), manager);
      const declined = await this.invitations.decline(hashToken(token), manager);
      if (!declined) throw new InvalidToken();
      await this.record('invitation.declined', by, declined, manager);
    });
  }

  /** Holds the organization of an invitation until the transaction ends: before its user, as everybody does. */
  async holdOrganization(tokenHash: Buffer, manager: EntityManager): Promise<void> {
    const seen = await this.invitations.findPreview(tokenHash, manager);
    if (seen) await this.orgs.lock(seen.orgId, manager);
  }

  /** Holds the organization of a user, and those they invited to lately, until the transaction ends. */
  async holdOrganizationsOf(userId: string, manager: EntityManager): Promise<void> {
    await this.invitations.lockOrganizationsOf(userId, manager);
  }

  /** Takes back the pending invitations that a user sent lately, while somebody else may have been in the account. */
  async revokeRecentOf(userId: string, by: Actor, manager: EntityManager): Promise<void> {
    for (const revoked of await this.invitations.revokeRecentOf(userId, manager))
      await this.record('invitation.revoked', by, revoked, manager);
  }

  /**
   * Accepts the invitation of an address, once. Returns null when there is none to accept: it is unknown, for another
   * address, expired, revoked or accepted.
   */
  async accept(tokenHash: Buffer, email: string, manager: EntityManager): Promise<Invitation | null> {
    const invitation = await this.invitations.lockPending(tokenHash, manager);
    if (invitation?.email !== email) return null;
    await this.invitations.markAccepted(invitation.id, manager);
    return invitation;
  }

  /** Issues what `choose` gives, within the limits; the lock on the organization makes the counts right. */
  private async send(
    inviter: User,
    orgId: string,
    by: Actor,
    choose: (manager: EntityManager) => Promise<Invite>,
  ): Promise<JudgedInvitation> {
    return this.database.transaction(async (manager) => {
      const org = await this.orgs.lock(orgId, manager);
      if (!org) throw new NotFound();
      await requireOrgAdmin(inviter, orgId, manager);
      const chosen = await choose(manager);
      const recent = await this.repeat(inviter, orgId, chosen, by, manager);
      if (recent) return recent;
      await this.keepLimits(org, chosen.email, manager);
      return this.issue(inviter, org, chosen, by, manager);
    });
  }

  /** Within a minute the same address gets no second mail, as after a double click: the link already mailed is good. */
  private async repeat(
    inviter: User,
    orgId: string,
    { email, role }: Invite,
    by: Actor,
    manager: EntityManager,
  ): Promise<JudgedInvitation | null> {
    const recent = { orgId, email, role, invitedBy: inviter.id };
    const repeated = await this.invitations.changeRecent(recent, manager);
    if (repeated) await this.record('invitation.sent', by, repeated, manager);
    return repeated;
  }

  private record(
    type: AuditType,
    by: Actor,
    { id, orgId }: Pick<Invitation, 'id' | 'orgId'>,
    manager: EntityManager,
  ): Promise<void> {
    return this.audit.record({ type, by, orgId, details: { invitation_id: id } }, manager);
  }

  private async keepLimits({ id }: Organization, email: string, manager: EntityManager): Promise<void> {
    if (await this.invitations.isSilenced(id, email, manager)) throw new InvitationDeclined();
    const { mails, isNew, freeInSeconds } = await this.invitations.countMails(id, manager);
    if (mails >= (isNew ? MAX_MAILS_OF_NEW : MAX_MAILS_A_DAY)) throw new TooManyRequests(freeInSeconds);
    const pending = await this.invitations.countPendingBeside(email, id, manager);
    if (pending >= MAX_PENDING) throw new TooManyRequests(PENDING_RETRY_AFTER_SECONDS);
  }
}
