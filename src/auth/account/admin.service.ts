import { Injectable } from '@nestjs/common';
import { AdminsRepository, type MadeAdmin } from '../../accounts/admins.repository.js';
import { OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { THE_SERVICE } from '../../http/caller.js';
import { Role } from '../../http/role.js';
import { Links } from '../../mail/links.js';
import { MailComposer } from '../../mail/mail-composer.js';
import { OutboxRepository } from '../../mail/outbox.repository.js';
import { AdminMails } from '../../users/admin-mails.js';

/** What became of an address that was to be a SYSTEM_ADMIN. */
export interface Appointment {
  wasCreated: boolean;
  /** Where the admin sets a password; null when the account has one. */
  passwordLink: string | null;
}

/**
 * Appoints the people who run the service. There is no default account: the first one is made on the command line, or in
 * `dev` at the start.
 */
@Injectable()
export class AdminService {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly adminMails: AdminMails,
    private readonly tokens: OneTimeTokensRepository,
    private readonly links: Links,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Makes the account of an address a SYSTEM_ADMIN, and makes the account if there is none. The link to set a
   * password is mailed unless the caller passes it on. A language of null leaves that of the account.
   */
  appoint(
    email: string,
    { isMailed, locale = null }: { isMailed: boolean; locale?: string | null },
  ): Promise<Appointment> {
    return this.transactions.run(THE_SERVICE, async (tx) => {
      const admin = await this.admins.makeSystemAdmin(email, locale, tx);
      if (admin.isDisabled) throw new Error(`The account of ${email} is disabled.`);
      const wasCreated = admin.formerRole === null;
      if (wasCreated && (await this.admins.isHeld(email, tx)))
        throw new Error(
          `An account had ${email} until lately, and can be brought back to it for three days. Use another address.`,
        );
      await this.record(admin, tx);
      await this.tell({ ...admin, email }, { isMailed }, tx);
      if (admin.hasPassword) return { wasCreated, passwordLink: null };

      const issued = await this.tokens.issue(email, 'reset-password', tx);
      if (issued && isMailed) await this.outbox.post(this.composer.for(issued).adminAppointed(issued), tx);
      return { wasCreated, passwordLink: issued && this.links.adminPassword(issued.token) };
    });
  }

  /**
   * Where the first admin of a development database sets a password; makes the account of an address that admin. Returns
   * null where another admin has been made, or this one has a password, is disabled, or was moved lately.
   */
  async firstAdminLink(email: string): Promise<string | null> {
    const isMissing = await this.transactions.run(THE_SERVICE, (tx) => this.admins.isFirst(email, tx));
    return isMissing ? (await this.appoint(email, { isMailed: false })).passwordLink : null;
  }

  /** Mails the other admins, and the new one as well unless they get a link, which tells them already. */
  private tell(
    admin: MadeAdmin & { email: string },
    { isMailed }: { isMailed: boolean },
    tx: Transaction,
  ): Promise<void> {
    const { formerRole: from, hasPassword } = admin;
    const getsLink = from === null || (isMailed && !hasPassword);
    return getsLink
      ? this.adminMails.peerAppointed(admin, from, Role.SYSTEM_ADMIN, tx)
      : this.adminMails.roleRaised(admin, from, Role.SYSTEM_ADMIN, tx);
  }

  private async record({ id: userId, orgId, formerRole: from }: MadeAdmin, tx: Transaction) {
    const to = Role.SYSTEM_ADMIN;
    if (from === to) return;
    const type = from === null ? 'account.created' : 'role.changed';
    const details = { from, to, command: 'create-admin' };
    await tx.record(type, { userId, orgId, isOfPerson: true, details });
  }
}
