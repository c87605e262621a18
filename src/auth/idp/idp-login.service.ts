import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AlignmentService } from '../../billing/alignment.service.js';
import { Environment } from '../../config/environment.js';
import { Links } from '../../mail/links.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { type Admission, AdmissionService, type Visitor } from '../admission.service.js';
import { LoginMetrics } from '../login-metrics.js';
import type { IdpOutcome } from './callback.guard.js';
import { IdpAccountsService } from './idp-accounts.service.js';
import { type FailureReason, LoginFailure } from './login-failure.js';

/** Where the browser goes, and what it takes there; null when the login failed. */
export interface Landing {
  location: string;
  admission: Admission | null;
}

/** Ends a login through the identity provider with a session, or with a reason on the login page. */
@Injectable()
export class IdpLoginService {
  private readonly logger = new Logger(IdpLoginService.name);

  constructor(
    private readonly accounts: IdpAccountsService,
    private readonly admissions: AdmissionService,
    private readonly sessions: SessionsService,
    private readonly alignment: AlignmentService,
    private readonly database: DataSource,
    private readonly environment: Environment,
    private readonly links: Links,
    private readonly metrics: LoginMetrics,
  ) {}

  /** Never rejects: the browser stands at our address, and an error there would be a dead end. */
  async land(outcome: IdpOutcome, visitor: Visitor): Promise<Landing> {
    try {
      if (outcome instanceof LoginFailure) throw outcome;
      const admission = await this.login(outcome, visitor);
      this.metrics.count('idp', 'success');
      return { location: new URL(this.environment.baseWebUrl + outcome.flow.returnTo).href, admission };
    } catch (error) {
      const reason = this.reasonOf(error);
      this.metrics.count('idp', reason);
      return { location: this.links.login(reason), admission: null };
    }
  }

  /**
   * In one transaction, which holds the account from the look at it to the session: whoever secures it meanwhile waits,
   * and then ends the session with the others.
   */
  private async login(
    { profile, flow }: Exclude<IdpOutcome, LoginFailure>,
    visitor: Visitor,
  ): Promise<Admission> {
    const invitation = flow.invitation === null ? null : Buffer.from(flow.invitation, 'base64url');
    const { orgId, admission } = await this.database.transaction(async (manager) => {
      const user = await this.accounts.resolve(profile, invitation, visitor, manager);
      const admission = await this.admissions.admit(user, 'idp', visitor, manager);
      if (!admission) throw new LoginFailure('account_disabled');
      if (flow.formerSession !== null) await this.sessions.endById(flow.formerSession, manager);
      return { orgId: user.orgId, admission };
    });
    if (invitation !== null && orgId !== null) this.alignment.follow({ orgId });
    return admission;
  }

  private reasonOf(error: unknown): FailureReason {
    if (error instanceof LoginFailure) return error.reason;
    this.logger.error(error, 'a login through the identity provider failed');
    return 'provider_error';
  }
}
