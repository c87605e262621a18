import { Injectable } from '@nestjs/common';
import { type IssuedToken, OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import type { AuditType } from '../../audit/audit-types.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { THE_SERVICE } from '../../http/caller.js';
import { MailComposer } from '../../mail/mail-composer.js';
import type { Mail } from '../../mail/mailer.js';
import type { CodeToMail } from '../../mail/messages.js';
import { OutboxRepository } from '../../mail/outbox.repository.js';
import type { Job } from '../../queues/job-loop.js';
import { hashToken, mintToken } from '../../secrets/token.js';
import { LinkRequestsRepository, type WaitingRequest } from './link-requests.repository.js';

/** What is recorded of a request, by what the token of its mail is for. */
const REQUESTED = { 'reset-password': 'password.link_requested', login: 'email_code.requested' } as const;

/** Mails the links and notices that were asked for, to those addresses whose account may have one. */
@Injectable()
export class LinkRequestsWorker implements Job {
  readonly name = 'link_requests';

  constructor(
    private readonly requests: LinkRequestsRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly signups: SignupsRepository,
    private readonly users: UsersRepository,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
    private readonly transactions: Transactions,
  ) {}

  async work(signal: AbortSignal): Promise<null> {
    while (!signal.aborted && (await this.fulfilOldest()));
    return null;
  }

  /**
   * Mails what the oldest request asks for, and returns whether there was one. Each has a transaction of its own: one
   * for several would hold an account while it waits for the next, and deadlock with a transaction that holds two.
   */
  private fulfilOldest(): Promise<boolean> {
    return this.transactions.run(THE_SERVICE, async (tx) => {
      const request = await this.requests.takeOldest(tx);
      const mail = request && (await this.mailFor(request, tx));
      if (mail) await this.outbox.post(mail, tx);
      return request !== null;
    });
  }

  /** Returns null when the account may not have the link, or there is none. */
  private async mailFor(request: WaitingRequest, tx: Transaction): Promise<Mail | null> {
    const { email, signupId, purpose, locale } = request;
    if (purpose === 'login-limited') {
      const reader = await this.users.findReader(email, tx);
      return reader && this.composer.for(reader).loginLimited(email);
    }

    const { token, code } = request.mailed ?? { token: mintToken(), code: undefined };
    if (signupId !== null) return this.mailOfSignup(signupId, request, { token, code }, tx);

    const asked = purpose === 'login' ? 'login' : 'reset-password';
    const issued = await this.tokens.issue(email, asked, tx, { token });
    if (!issued) return null;
    await this.record(REQUESTED[asked], request, issued, tx);
    const messages = this.composer.for({ ...issued, locale: issued.locale ?? locale });
    if (asked === 'reset-password') return messages.passwordReset(issued, code);
    return code ? messages.loginCode(issued, code) : null;
  }

  /**
   * A mail tells the owner of an account of a signup with its address, but not each time a link is asked for. All mails
   * are written, so that an answer which waits meanwhile takes as long with an account as without.
   */
  private async mailOfSignup(
    signupId: string,
    { email, purpose, locale }: WaitingRequest,
    { token, code }: { token: string; code: CodeToMail | undefined },
    tx: Transaction,
  ): Promise<Mail | null> {
    const link = await this.signups.addLink(signupId, hashToken(token), tx);
    if (!link) return null;
    const toAsker = this.composer.for({ locale });
    const toOwner = this.composer.for({ ...link.owner, locale: link.owner?.locale ?? locale });
    const verification = toAsker.verification({ token, ...link }, code);
    const alreadyRegistered = toOwner.alreadyRegistered(email);
    const addressHeld = toAsker.addressHeld(email);
    if (link.isAddressFree) return verification;
    if (purpose !== 'sign-up') return null;
    return link.isAddressHeld ? addressHeld : alreadyRegistered;
  }

  private record(
    type: AuditType,
    { ip, userAgent }: WaitingRequest,
    { userId, orgId }: IssuedToken,
    tx: Transaction,
  ) {
    return tx.as({ ip, userAgent }).record(type, { userId, orgId });
  }
}
