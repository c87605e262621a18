import { Injectable, Logger } from '@nestjs/common';
import type { Actor } from '../../audit/audit.js';
import { Environment } from '../../config/environment.js';
import { Links } from '../../mail/links.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import type { Outcome } from './callback.guard.js';
import { IdpAccounts } from './idp-accounts.service.js';
import { LoginFailure } from './login-failure.js';

/** Where the browser goes, and the token it takes there; null when the login failed. */
export interface Landing {
  location: string;
  token: string | null;
}

/** Ends a login through the identity provider with a session, or with a reason on the login page. */
@Injectable()
export class IdpLoginService {
  private readonly logger = new Logger(IdpLoginService.name);

  constructor(
    private readonly accounts: IdpAccounts,
    private readonly sessions: SessionsService,
    private readonly environment: Environment,
    private readonly links: Links,
  ) {}

  /** Never rejects: the browser stands at our address, and an error there would be a dead end. */
  async land(outcome: Outcome, by: Actor, earlier: string | null): Promise<Landing> {
    try {
      if (outcome instanceof LoginFailure) throw outcome;
      const token = await this.login(outcome, by, earlier);
      return { location: new URL(this.environment.baseWebUrl + outcome.flow.returnTo).href, token };
    } catch (error) {
      return { location: this.loginPage(error), token: null };
    }
  }

  private async login({ profile, flow }: Exclude<Outcome, LoginFailure>, by: Actor, earlier: string | null) {
    const invitation = flow.invitation === null ? null : Buffer.from(flow.invitation, 'base64url');
    const user = await this.accounts.resolve(profile, invitation, by);
    const started = await this.sessions.start(user, 'idp', by);
    if (!started) throw new LoginFailure('account_disabled');

    if (earlier) await this.sessions.endByToken(earlier);
    return started.token;
  }

  private loginPage(error: unknown): string {
    const reason = error instanceof LoginFailure ? error.reason : 'provider_error';
    if (!(error instanceof LoginFailure))
      this.logger.error(error, 'a login through the identity provider failed');
    return this.links.login(reason);
  }
}
