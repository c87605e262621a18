import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { arePagesOn } from '../../config/pages.js';
import { addressOf, type Caller } from '../../http/caller.js';
import { ServiceUnavailable } from '../../http/errors.js';
import { hashToken, mintToken } from '../../secrets/token.js';
import { SessionCookie } from '../../sessions/session-cookies.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { canonicalLocale } from '../../validation/locale.js';
import { Languages } from '../../words/languages.js';
import { rangesOf } from '../../words/lookup.js';
import type { AuthorizeQuery } from './idp.dto.js';
import { authorizationUrl } from './idp.strategy.js';
import { type Flow, type IdpLogin, LoginFlows } from './login-flows.js';
import type { Endpoints, Provider } from './providers.js';

/** Begins logins through identity providers. */
@Injectable()
export class AuthorizeService {
  private readonly logger = new Logger(AuthorizeService.name);

  constructor(
    private readonly flows: LoginFlows,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly environment: Environment,
    private readonly languages: Languages,
  ) {}

  /** Where a provider asks the user; the browser gets the cookie without which the login cannot be finished. */
  async begin(
    provider: Provider,
    { invitation_token, ...query }: AuthorizeQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const invitation =
      invitation_token === undefined ? null : hashToken(invitation_token).toString('base64url');
    const formerSession = await this.formerSession(request);
    const flow = {
      ...this.beginning(query),
      linksTo: null,
      invitation,
      formerSession,
      asksAgain: formerSession !== null,
      uiLocales: this.uiLocales(request),
    };
    return this.ask(provider, flow, reply);
  }

  /**
   * Where a provider asks the user of a session who they are there, to link that identity. It asks them whatever session it
   * has itself: that could be one into which an attacker has logged this browser.
   */
  beginLinking(
    provider: Provider,
    query: Pick<AuthorizeQuery, 'via' | 'return_to'>,
    { user, session }: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const flow = {
      ...this.beginning(query),
      linksTo: { userId: user.id, sessionId: session.id },
      invitation: null,
      formerSession: null,
      asksAgain: true,
      uiLocales: this.uiLocales(request),
    };
    return this.ask(provider, flow, reply);
  }

  /** Where a provider asks the user again, of a login that it answered from a session of its own. */
  beginAgain({ provider, flow }: IdpLogin, reply: FastifyReply): Promise<string> {
    return this.ask(provider, { ...flow, asksAgain: true }, reply);
  }

  private async ask(provider: Provider, flow: Flow, reply: FastifyReply): Promise<string> {
    const endpoints = await this.endpointsOf(provider);
    const verifier = mintToken();
    const state = await this.flows.begin(provider, flow, verifier, reply);
    const { asksAgain, uiLocales } = flow;
    return authorizationUrl(provider, endpoints, { state, verifier, asksAgain, uiLocales });
  }

  /** Without the pages there is no way back to them. The login page leads on by itself where there is no other path. */
  private beginning({ via, return_to: returnTo }: Pick<AuthorizeQuery, 'via' | 'return_to'>) {
    if (via === undefined || !arePagesOn(this.environment)) return { returnTo, via: null };
    return { returnTo: returnTo === '/' ? '/login' : returnTo, via };
  }

  /** Those of the page that asks. Where there is one language, nobody has chosen it. */
  private uiLocales({ headers }: FastifyRequest): string | null {
    if (this.languages.all.length === 1) return null;
    const tags = rangesOf(headers['accept-language']).map(canonicalLocale);
    return tags.filter((tag) => tag !== null).join(' ') || null;
  }

  private async endpointsOf(provider: Provider): Promise<Endpoints> {
    try {
      return await provider.endpoints();
    } catch (error) {
      const fields = { event: 'idp.discovery_failed', provider: provider.id, err: error };
      this.logger.warn(fields, 'The document of an identity provider cannot be read.');
      throw new ServiceUnavailable();
    }
  }

  /** Asked for here, because the Strict cookie does not come along when the provider sends the browser back. */
  private async formerSession(request: FastifyRequest): Promise<string | null> {
    const token = this.cookie.read(request);
    const active = token === null ? null : await this.sessions.resume(token, addressOf(request.ip));
    return active?.session.id ?? null;
  }
}
