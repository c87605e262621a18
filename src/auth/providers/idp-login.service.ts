import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Transactions } from '../../audit/transactions.js';
import { StripeSync } from '../../billing/stripe-sync.js';
import type { Actor } from '../../http/caller.js';
import { Links } from '../../mail/links.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import {
  type Admission,
  AdmissionService,
  type PresentedTokens,
  ProofTooOld,
} from '../login/admission.service.js';
import { LoginMetrics } from '../login/login-metrics.js';
import { AuthorizeService } from './authorize.service.js';
import { IdentityLinks } from './identity-links.js';
import { IdpAccountsService } from './idp-accounts.service.js';
import {
  type Beginning,
  type FailureReason,
  type IdpLogin,
  type IdpOutcome,
  type LinkingSession,
  LoginFailure,
} from './login-flows.js';

/** Where the callback sends the browser, and what the login has come to: null when it failed, or begins again. */
export interface CallbackResult {
  location: string;
  admission: Admission | null;
}

/**
 * Ends a login through an identity provider: with a session, with a pending login, or with a reason for the login page.
 */
@Injectable()
export class IdpLoginService {
  private readonly logger = new Logger(IdpLoginService.name);

  constructor(
    private readonly accounts: IdpAccountsService,
    private readonly authorizations: AuthorizeService,
    private readonly admission: AdmissionService,
    private readonly identityLinks: IdentityLinks,
    private readonly sessions: SessionsService,
    private readonly stripeSync: StripeSync,
    private readonly transactions: Transactions,
    private readonly links: Links,
    private readonly metrics: LoginMetrics,
  ) {}

  /** Never rejects: the browser stands at our address, and an error there would be a dead end. */
  async finish(
    outcome: IdpOutcome,
    presented: PresentedTokens,
    by: Actor,
    reply: FastifyReply,
  ): Promise<CallbackResult> {
    if (outcome.kind === 'failure') return this.failed(outcome.reason, outcome.beginning);
    const { linksTo } = outcome.flow;
    try {
      if (linksTo !== null) return await this.link(outcome, linksTo, presented, by);
      const admission = await this.login(outcome, presented, by);
      if (admission === null)
        return { location: await this.authorizations.beginAgain(outcome, reply), admission };
      this.metrics.countAdmission('idp', admission);
      return { location: this.pageAfter(admission, outcome.flow), admission };
    } catch (error) {
      return this.failed(this.reasonOf(error), outcome.flow);
    }
  }

  /** What a login comes to; null where the provider has to ask its user again first. */
  private async login(login: IdpLogin, presented: PresentedTokens, by: Actor): Promise<Admission | null> {
    try {
      return await this.admit(login, presented, by);
    } catch (error) {
      if (error instanceof ProofTooOld) return null;
      throw error;
    }
  }

  /** No login: the session in which it began goes on as it is. */
  private async link(
    { provider, profile, flow }: IdpLogin,
    linksTo: LinkingSession,
    presented: PresentedTokens,
    by: Actor,
  ): Promise<CallbackResult> {
    await this.identityLinks.linkOnPurpose(provider, profile, linksTo, presented.sessionToken, by);
    return { location: this.pageWith(flow, 'linked', provider.id), admission: null };
  }

  private failed(reason: FailureReason, beginning: Beginning | null): CallbackResult {
    if (!beginning?.linksTo) this.metrics.countFailure('idp', reason);
    return { location: this.pageAfterFailure(reason, beginning), admission: null };
  }

  private pageAfter(admission: Admission, { via, returnTo }: Beginning): string {
    const links = via === 'ui' ? this.links.ofPages() : this.links;
    if (admission.kind === 'session') return links.path(returnTo);
    if (via !== 'ui') return links.secondStep(returnTo);
    // A page takes the language that its address asks for along by itself; to the pages a path is one of the service.
    const language = new URLSearchParams(returnTo.split('?')[1]).get('ui_locales');
    return (language === null ? links : links.in(language)).secondStep(`/ui${returnTo}`);
  }

  /** The SPA's login page; of the service's own pages, and of what links an identity, the page on which it began. */
  private pageAfterFailure(reason: FailureReason, beginning: Beginning | null): string {
    if (beginning?.via === 'ui' || beginning?.linksTo) return this.pageWith(beginning, 'error', reason);
    return this.links.login(reason);
  }

  /** The page on which a flow began, with what became of it. */
  private pageWith({ via, returnTo }: Beginning, name: 'error' | 'linked', value: string): string {
    const links = via === 'ui' ? this.links.ofPages() : this.links;
    const page = new URL(links.path(returnTo));
    page.searchParams.set(name, value);
    return page.href;
  }

  /**
   * In one transaction, which holds the account from the look at it to the session: an owner who secures it meanwhile
   * waits, and then ends this session with the others. A strong provider vouches for who owns the account there. Only an
   * identity that was linked before, or that made the account, says that the account here is of the same person.
   */
  private async admit(
    { provider: { isStrong }, profile, provenAt, flow }: IdpLogin,
    presented: PresentedTokens,
    by: Actor,
  ): Promise<Admission> {
    const { formerSession } = flow;
    const invitationHash = flow.invitation === null ? null : Buffer.from(flow.invitation, 'base64url');
    const { user, admission } = await this.transactions.run(by, async (tx) => {
      const began = { invitationHash, formerSession };
      const { user, newIdentity } = await this.accounts.resolve(profile, began, { isStrong }, tx);
      const admission = await this.admission.admit(user, 'idp', presented, tx, {
        isStrong: isStrong && newIdentity === null,
        newIdentity,
        provenAt,
      });
      if (!admission) throw new LoginFailure('account_disabled');
      // The request of the second step comes with the cookie of the former session, and ends it.
      if (admission.kind === 'session') {
        if (newIdentity && !(await this.identityLinks.link(user, newIdentity, tx)))
          throw new LoginFailure('account_conflict');
        if (formerSession !== null) await this.sessions.endById(formerSession, tx);
      }
      return { user, admission };
    });
    if (invitationHash !== null && user.orgId !== null) this.stripeSync.soon({ orgId: user.orgId });
    return admission;
  }

  private reasonOf(error: unknown): FailureReason {
    if (error instanceof LoginFailure) return error.reason;
    const fields = { event: 'idp.login_failed', err: error };
    this.logger.error(fields, 'A login through the identity provider failed in the service.');
    return 'provider_error';
  }
}
