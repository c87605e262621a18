import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Invitation, JudgedInvitation } from '../accounts/invitation.entity.js';
import { InvitationsRepository } from '../accounts/invitations.repository.js';
import { type GivenRole, MembershipsRepository } from '../accounts/memberships.repository.js';
import type { Org } from '../accounts/org.entity.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import type { AuditType } from '../audit/audit-types.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { type Actor, type Caller, type CallerUser, countedAs } from '../http/caller.js';
import {
  AlreadyMember,
  InvitationDeclined,
  NotFound,
  TooManyRequests,
  ValidationFailed,
} from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import { fieldError, Problem } from '../http/problem.js';
import { Role } from '../http/role.js';
import { assertServed } from '../http/served-locale.js';
import { MailComposer } from '../mail/mail-composer.js';
import { OutboxRepository } from '../mail/outbox.repository.js';
import { Limits } from '../rate-limits/limits.js';
import { hashToken, mintToken } from '../secrets/token.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { canonicalAddress } from '../validation/address.js';
import { isAddress } from '../validation/rules.js';
import { Languages } from '../words/languages.js';
import type { Invited } from './invitation.view.js';
import type { InvitationsQuery, Invite, InviteMany } from './orgs.dto.js';
import { type ChosenRole, RolesService } from './roles.service.js';

const MAX_AGE_SECONDS = 7 * 86_400;
const MAX_PENDING = 50;
const MAX_MAILS_A_DAY = 100;

/** Of an organization less than a day old, which a spammer may have made for nothing but its mails. */
const MAX_MAILS_OF_NEW = 20;

/** The service cannot know when a pending invitation will be accepted. */
const PENDING_RETRY_AFTER_SECONDS = 3600;

/** What an address is invited to. */
export type Offer = Pick<Invite, 'email' | 'locale'> & GivenRole;

/** The invitations of an organization, as its admins send and revoke them. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly orgs: OrgsRepository,
    private readonly roles: RolesService,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
    private readonly limits: Limits,
    private readonly stepUp: StepUpRule,
    private readonly authority: AuthorityService,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
  ) {}

  /** Invites an address, in place of the invitation it still has open. Throws StepUpRequired. */
  async invite(inviter: Caller, orgId: string, invite: Invite, by: Actor): Promise<JudgedInvitation> {
    assertServed(invite.locale, this.languages);
    return this.send(inviter, orgId, by, async (tx) => {
      if (await this.memberships.isMember(orgId, invite.email, tx)) throw new AlreadyMember();
      const { role, roleId } = (await this.roles.chosen(orgId, invite, tx)) as ChosenRole;
      return { email: invite.email, locale: invite.locale ?? null, role, roleId };
    });
  }

  /**
   * Invites some addresses, one after another, each as if it were the only one: in a transaction of its own, with its own
   * event and mail, and a point of every limit. What refuses one refuses not the others. Throws StepUpRequired, before any.
   */
  async inviteMany(
    inviter: Caller,
    orgId: string,
    { emails, locale = null, ...given }: InviteMany,
    by: Actor,
  ): Promise<Invited[]> {
    assertServed(locale, this.languages);
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const chosen = await this.roles.chosen(orgId, given);
    if (chosen?.role === Role.ORG_ADMIN) await this.stepUp.assert(inviter);
    const invited: Invited[] = [];
    for (const [index, text] of emails.entries()) {
      const email = canonicalAddress(text) ?? text;
      try {
        if (!isAddress(email)) throw new ValidationFailed([fieldError('email', { code: 'not_an_address' })]);
        // The guard took the point of the first.
        if (index > 0) await this.limits.take('invitePerUser', countedAs(inviter));
        invited.push({ email, outcome: await this.invite(inviter, orgId, { ...given, email, locale }, by) });
      } catch (error) {
        if (!(error instanceof Problem) || error.getStatus() >= 500) throw error;
        invited.push({ email: text, outcome: error });
      }
    }
    return invited;
  }

  /**
   * Sends an open invitation again with a fresh link, and as long to go as a new one; the earlier link dies. Throws
   * StepUpRequired.
   */
  async resend(inviter: Caller, orgId: string, id: string, by: Actor): Promise<void> {
    await this.send(inviter, orgId, by, async (tx) => {
      const open = await this.invitations.findOpen(orgId, id, tx);
      if (!open) throw new NotFound();
      return open;
    });
  }

  /**
   * Issues an invitation, and posts the mail that alone carries its token. Throws TooManyRequests, and StepUpRequired for
   * that of an ORG_ADMIN.
   */
  async issue(
    inviter: Caller,
    org: Pick<Org, 'id' | 'name' | 'locale'>,
    { email, role, roleId, locale = null }: Offer,
    tx: Transaction,
  ): Promise<JudgedInvitation> {
    await this.stepUp.assertForAdmins(inviter, [role], tx);
    await this.limits.takeMail('invitation', email);
    const token = mintToken();
    const { reader, ...invitation } = await this.invitations.upsert(
      {
        id: uuidv7(),
        orgId: org.id,
        email,
        role,
        roleId,
        locale: locale ?? org.locale ?? inviter.user.locale,
        invitedBy: inviter.user.id,
        tokenHash: hashToken(token),
        maxAgeSeconds: MAX_AGE_SECONDS,
      },
      tx,
    );
    await this.invitations.insertMail(org.id, tx);
    // Who has the account of the address reads their own language; an inviter learns nothing of it.
    const mail = this.composer.for({ ...reader, locale: reader?.locale ?? invitation.locale }).invitation({
      to: email,
      orgName: org.name,
      role,
      inviter: inviter.user.name ?? inviter.user.email,
      token,
      expiresAt: invitation.expiresAt,
    });
    await this.outbox.post(mail, tx);
    await this.record('invitation.sent', invitation, tx);
    return invitation;
  }

  async list(orgId: string, query: InvitationsQuery): Promise<Page<JudgedInvitation>> {
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const { status = null } = query;
    return pageOf(query, (before, limit) => this.invitations.findOf(orgId, status, before, limit));
  }

  /** Takes an open invitation back. */
  async revoke(caller: CallerUser, orgId: string, id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      if (!(await this.orgs.lock(orgId, tx))) throw new NotFound();
      await this.authority.assertOrgAdmin(caller, orgId, tx);
      if (!(await this.invitations.revoke({ orgId, id }, tx))) throw new NotFound();
      await this.record('invitation.revoked', { id, orgId }, tx);
    });
  }

  /** Issues what `choose` gives, within the limits; the lock on the organization makes the counts right. */
  private async send(
    inviter: Caller,
    orgId: string,
    by: Actor,
    choose: (tx: Transaction) => Promise<Offer>,
  ): Promise<JudgedInvitation> {
    return this.transactions.run(by, async (tx) => {
      const org = await this.orgs.lock(orgId, tx);
      if (!org) throw new NotFound();
      await this.authority.assertOrgAdmin(inviter.user, orgId, tx);
      const chosen = await choose(tx);
      const sent =
        (await this.repeat(inviter, orgId, chosen, tx)) ??
        (await this.issueWithinLimits(inviter, org, chosen, tx));
      // Once more: the invitation has waited for the inviter's row, which the lock on the organization does not cover.
      await this.authority.assertOrgAdmin(inviter.user, orgId, tx);
      return sent;
    });
  }

  /** Within a minute the same address gets no second mail, as after a double click: the link already mailed is good. */
  private async repeat(
    inviter: Caller,
    orgId: string,
    { email, role, roleId }: Offer,
    tx: Transaction,
  ): Promise<JudgedInvitation | null> {
    await this.stepUp.assertForAdmins(inviter, [role], tx);
    const recent = { orgId, email, role, roleId, invitedBy: inviter.user.id };
    const repeated = await this.invitations.changeRecent(recent, tx);
    if (repeated) await this.record('invitation.sent', repeated, tx);
    return repeated;
  }

  private async issueWithinLimits(
    inviter: Caller,
    org: Org,
    offer: Offer,
    tx: Transaction,
  ): Promise<JudgedInvitation> {
    await this.assertWithinLimits(org, offer.email, tx);
    return this.issue(inviter, org, offer, tx);
  }

  private record(
    type: AuditType,
    { id, orgId }: Pick<Invitation, 'id' | 'orgId'>,
    tx: Transaction,
  ): Promise<void> {
    return tx.record(type, { orgId, details: { invitation_id: id } });
  }

  private async assertWithinLimits({ id }: Org, email: string, tx: Transaction): Promise<void> {
    if (await this.invitations.isSilenced(id, email, tx)) throw new InvitationDeclined();
    const { mails, isNew, freeInSeconds } = await this.invitations.countMails(id, tx);
    if (mails >= (isNew ? MAX_MAILS_OF_NEW : MAX_MAILS_A_DAY)) throw new TooManyRequests(freeInSeconds);
    const pending = await this.invitations.countPendingBeside(email, id, tx);
    if (pending >= MAX_PENDING) throw new TooManyRequests(PENDING_RETRY_AFTER_SECONDS);
  }
}
