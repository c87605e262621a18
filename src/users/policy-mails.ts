import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { CallerUser } from '../http/caller.js';
import type { OrgRule } from '../http/org-policy.js';
import { Role } from '../http/role.js';
import { AccountMails } from '../mail/account-mails.js';
import { MailComposer } from '../mail/mail-composer.js';
import { OutboxRepository } from '../mail/outbox.repository.js';

/** Mails that tell admins what their organization asks for from now on. */
@Injectable()
export class PolicyMails {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly accountMails: AccountMails,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Tells the admins of an organization who changed its policy, and the one who did, with the link that secures the account. */
  async policyChanged(
    by: CallerUser,
    orgId: string,
    rules: readonly OrgRule[],
    tx: Transaction,
  ): Promise<void> {
    const { name } = await this.admins.findOrg(orgId, tx);
    await this.accountMails.ownPolicyChange(by, name, rules, tx);
    for (const peer of await this.admins.findPeers({ id: by.id, orgId }, Role.ORG_ADMIN, tx))
      await this.outbox.post(this.composer.for(peer).policyChanged(peer.email, by.email, name, rules), tx);
  }

  /** Tells the admins of an organization that an operator took its policy away. */
  async policyCleared(orgId: string, tx: Transaction): Promise<void> {
    const { name } = await this.admins.findOrg(orgId, tx);
    for (const admin of await this.admins.findPeers({ id: null, orgId }, Role.ORG_ADMIN, tx))
      await this.outbox.post(this.composer.for(admin).policyCleared(admin.email, name), tx);
  }
}
