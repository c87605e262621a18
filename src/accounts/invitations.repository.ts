import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Role } from '../http/role.js';
import type { Reader } from '../words/languages.js';
import { NAMED_ROLE } from './custom-roles.repository.js';
import { isHeldSql } from './held-addresses.repository.js';
import type { InvitationStatus, JudgedInvitation } from './invitation.entity.js';
import { Invitation } from './invitation.entity.js';
import { IS_ACTIVE_ADMIN, readerOfSql } from './users.repository.js';

/** What is known of an invitation when it is sent. */
export type NewInvitation = Pick<
  Invitation,
  'id' | 'orgId' | 'email' | 'role' | 'roleId' | 'locale' | 'invitedBy'
> & {
  tokenHash: Buffer;
  maxAgeSeconds: number;
};

/** An invitation that can be accepted. */
export type PendingInvitation = Pick<Invitation, 'id' | 'orgId' | 'email' | 'role' | 'roleId'>;

/** An invitation as the holder of its link may see it. */
export interface InvitationPreview {
  orgId: string;
  orgName: string;
  /** The name of who invites, or their address; null once their account is gone. */
  inviter: string | null;
  email: string;
  role: Role;
  expiresAt: Date;
  /** Also where the address is held for the account that had it: a stranger must not see a difference. */
  accountExists: boolean;
}

/**
 * Whether a row of `invitations` offers the rank of an admin, and its inviter could not offer that now: a grant must not
 * outlive the rank it came from. One whose inviter is gone names none.
 */
const IS_BEYOND_INVITER = `(invitations.role = 'org_admin' AND NOT EXISTS (
    SELECT FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.org_id = invitations.org_id AND m.suspended_at IS NULL
     WHERE u.id = invitations.invited_by AND ${IS_ACTIVE_ADMIN}))`;

const STATUS = `CASE WHEN accepted_at IS NOT NULL THEN 'accepted'
                     WHEN revoked_at IS NOT NULL THEN 'revoked'
                     WHEN expires_at <= now() THEN 'expired'
                     WHEN ${IS_BEYOND_INVITER} THEN 'revoked'
                     ELSE 'pending' END`;
const COLUMNS = `id, org_id AS "orgId", email, role, role_id AS "roleId", ${NAMED_ROLE('invitations')} AS "customRole",
                 locale, invited_by AS "invitedBy", created_at AS "createdAt",
                 expires_at AS "expiresAt", ${STATUS} AS status`;
/** Days in which an organization may not invite an address again that turned it down. */
const SILENCE_DAYS = 30;

export const IS_PENDING = 'accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()';

@Injectable()
export class InvitationsRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Stores an invitation in place of the one that the address still has open; its inviter may be gone by now. Returns it with who has
   * the account of its address.
   */
  async upsert(
    invitation: NewInvitation,
    tx: Transaction,
  ): Promise<JudgedInvitation & { reader: Reader | null }> {
    const { id, orgId, email, role, roleId, locale, invitedBy, tokenHash, maxAgeSeconds } = invitation;
    const [stored] = await tx.query<[JudgedInvitation & { reader: Reader | null }]>(
      `INSERT INTO invitations (id, org_id, email, role, role_id, invited_by, token_hash, expires_at, locale)
       VALUES ($1, $2, $3, $4, $9, (SELECT id FROM users WHERE id = $5 FOR KEY SHARE), $6,
               now() + make_interval(secs => $7), $8)
       ON CONFLICT (org_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL DO UPDATE SET
         role = excluded.role, role_id = excluded.role_id, invited_by = excluded.invited_by,
         token_hash = excluded.token_hash, created_at = now(), expires_at = excluded.expires_at,
         locale = excluded.locale
       RETURNING ${COLUMNS}, ${readerOfSql('invitations.email')} AS reader`,
      [id, orgId, email, role, invitedBy, tokenHash, maxAgeSeconds, locale, roleId],
    );
    return stored;
  }

  /**
   * Gives an invitation that was mailed within the last minute its role and inviter, and returns it; null when there is
   * none. Its link stays good.
   */
  async changeRecent(
    {
      orgId,
      email,
      role,
      roleId,
      invitedBy,
    }: Pick<Invitation, 'orgId' | 'email' | 'role' | 'roleId' | 'invitedBy'>,
    tx: Transaction,
  ): Promise<JudgedInvitation | null> {
    const [changed] = await tx.query<JudgedInvitation[]>(
      `WITH changed AS (
         UPDATE invitations SET role = $3, role_id = $5, invited_by = (SELECT id FROM users WHERE id = $4 FOR KEY SHARE)
          WHERE org_id = $1 AND email = $2 AND ${IS_PENDING} AND created_at > now() - interval '1 minute'
         RETURNING *
       )
       SELECT ${COLUMNS} FROM changed AS invitations`,
      [orgId, email, role, invitedBy, roleId],
    );
    return changed ?? null;
  }

  /** A page of an organization's invitations, newest first, from below an id. */
  findOf(
    orgId: string,
    status: InvitationStatus | null,
    before: string | null,
    limit: number,
  ): Promise<JudgedInvitation[]> {
    return this.database.query(
      `SELECT ${COLUMNS} FROM invitations
        WHERE org_id = $1 AND ($2::text IS NULL OR ${STATUS} = $2) AND ($3::uuid IS NULL OR id < $3)
        ORDER BY id DESC LIMIT $4`,
      [orgId, status, before, limit],
    );
  }

  /** An invitation that was neither accepted nor revoked; it may have expired. */
  findOpen(orgId: string, id: string, tx: Transaction): Promise<Invitation | null> {
    return tx.manager.findOneBy(Invitation, { id, orgId, acceptedAt: IsNull(), revokedAt: IsNull() });
  }

  async findPreview(tokenHash: Buffer): Promise<InvitationPreview | null> {
    const [preview] = await this.database.query<InvitationPreview[]>(
      `SELECT o.id AS "orgId", o.name AS "orgName", email, role, expires_at AS "expiresAt",
              (SELECT coalesce(u.name, u.email) FROM users u WHERE u.id = invited_by) AS inviter,
              EXISTS (SELECT 1 FROM users u WHERE u.email = invitations.email) OR ${isHeldSql('invitations.email')} AS "accountExists"
         FROM invitations JOIN organizations o ON o.id = org_id
        WHERE token_hash = $1 AND ${IS_PENDING} AND NOT ${IS_BEYOND_INVITER}`,
      [tokenHash],
    );
    return preview ?? null;
  }

  /**
   * The pending invitation of a token, locked until the transaction ends. Its organization is locked first: in the other
   * order this and an admin who revokes the invitation would deadlock. The invitation is read in a statement of its own,
   * which sees the inviter as they are after a change that held the organization.
   */
  async lockPending(tokenHash: Buffer, tx: Transaction): Promise<PendingInvitation | null> {
    await tx.query(
      `SELECT 1 FROM organizations
        WHERE id = (SELECT org_id FROM invitations WHERE token_hash = $1) FOR UPDATE`,
      [tokenHash],
    );
    const [invitation] = await tx.query<PendingInvitation[]>(
      `SELECT id, org_id AS "orgId", email, role, role_id AS "roleId" FROM invitations
        WHERE token_hash = $1 AND ${IS_PENDING} AND NOT ${IS_BEYOND_INVITER} FOR UPDATE`,
      [tokenHash],
    );
    return invitation ?? null;
  }

  async markAccepted(id: string, tx: Transaction): Promise<void> {
    await tx.manager.update(Invitation, { id }, { acceptedAt: () => 'now()' });
  }

  /** Declining revokes an invitation too. */
  async markDeclined(id: string, tx: Transaction): Promise<void> {
    await tx.manager.update(Invitation, { id }, { revokedAt: () => 'now()', declinedAt: () => 'now()' });
  }

  /** Revokes an invitation that is open, even if it has expired. Returns false when there was none. */
  async revoke(where: { orgId: string; id: string }, tx: Transaction): Promise<boolean> {
    const revoked = await tx.manager.update(
      Invitation,
      { ...where, acceptedAt: IsNull(), revokedAt: IsNull() },
      { revokedAt: () => 'now()' },
    );
    return revoked.affected === 1;
  }

  /** Takes back the invitation that an address has open of an organization, which is locked. */
  async revokeOf(email: string, orgId: string, tx: Transaction): Promise<void> {
    const open = { email, orgId, acceptedAt: IsNull(), revokedAt: IsNull() };
    await tx.manager.update(Invitation, open, { revokedAt: () => 'now()' });
  }

  /** Whether an address has turned an organization down, and not long ago. */
  async isSilenced(orgId: string, email: string, tx: Transaction): Promise<boolean> {
    const rows = await tx.query(
      `SELECT 1 FROM invitations
        WHERE org_id = $1 AND email = $2 AND declined_at > now() - make_interval(days => ${SILENCE_DAYS})`,
      [orgId, email],
    );
    return rows.length > 0;
  }

  /**
   * Counts the pending invitations of an organization, except the one to an address, which a new one would replace.
   */
  async countPendingBeside(email: string, orgId: string, tx: Transaction): Promise<number> {
    const [{ pending }] = await tx.query(
      `SELECT count(*)::int AS pending FROM invitations
        WHERE org_id = $1 AND email <> $2 AND ${IS_PENDING} AND NOT ${IS_BEYOND_INVITER}`,
      [orgId, email],
    );
    return pending;
  }

  /**
   * The mails that count against an organization's limit, whether it is less than a day old, and the seconds until the
   * oldest mail no longer counts: from now on, as the transaction may have begun before that was sent, and waited for
   * the organization.
   */
  async countMails(
    orgId: string,
    tx: Transaction,
  ): Promise<{ mails: number; isNew: boolean; freeInSeconds: number }> {
    const [counted] = await tx.query(
      `SELECT count(*)::int AS mails,
              (SELECT created_at > now() - interval '1 day' FROM organizations WHERE id = $1) AS "isNew",
              ceil(coalesce(extract(epoch FROM min(expires_at) - clock_timestamp()), 0))::int AS "freeInSeconds"
         FROM invitation_mails WHERE org_id = $1 AND expires_at > clock_timestamp()`,
      [orgId],
    );
    return counted;
  }

  async insertMail(orgId: string, tx: Transaction): Promise<void> {
    await tx.query(
      `INSERT INTO invitation_mails (id, org_id, expires_at) VALUES ($1, $2, now() + interval '1 day')`,
      [uuidv7(), orgId],
    );
  }
}
