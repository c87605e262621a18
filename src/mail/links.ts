import { Injectable, Optional } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { arePagesOn, pagesUrl } from '../config/pages.js';

/**
 * The pages that mails and redirects lead to: of the SPA, or the service's own. A page posts the token of its link: a mail scanner that
 * follows the link consumes nothing.
 */
@Injectable()
export class Links {
  constructor(
    private readonly environment: Environment,
    @Optional() private readonly language?: string,
  ) {}

  /** The links in a mail of a language, which the pages then open in (OpenID Connect Core §3.1.2.1). */
  in(language: string): Links {
    return new Links(this.environment, language);
  }

  verifyEmail(token: string): string {
    return this.page('/verify-email', { token });
  }

  confirmEmail(token: string): string {
    return this.page('/confirm-email', { token });
  }

  resetPassword(token: string): string {
    return this.page('/reset-password', { token });
  }

  /** Where a new admin sets a password, and then goes on to the console; without the pages there is none. */
  adminPassword(token: string): string {
    if (!arePagesOn(this.environment)) return this.resetPassword(token);
    return this.ofPages().page('/reset-password', { token, return_to: '/admin' });
  }

  acceptInvitation(token: string): string {
    return this.page('/accept-invitation', { token });
  }

  secureAccount(token: string): string {
    return this.page('/secure-account', { token });
  }

  forgotPassword(): string {
    return this.page('/forgot-password');
  }

  /**
   * The page about the subscription of an organization, or of the user themselves; with how a checkout ended if it comes from
   * one. The organization, or `none` where a user could also mean one of several, says which subscription to show.
   */
  billing(orgId: string | null, checkout?: 'success' | 'canceled'): string {
    const org = orgId ?? (this.environment.orgsPerUser > 1 ? 'none' : null);
    return this.page('/billing', { ...(checkout && { checkout }), ...(org !== null && { org }) });
  }

  /** Where the browser that asked for a code logs in with it; another one shows it. */
  loginCode(code: string): string {
    return this.page('/login-code', { code });
  }

  /** The login page; after a login that failed, with the reason why. */
  login(error?: string): string {
    return this.page('/login', error === undefined ? {} : { error });
  }

  /** The login page, which then goes on to a path of the SPA, if there is one. */
  loginThen(returnTo: string | null): string {
    return this.page('/login', returnTo === null ? {} : { return_to: this.returnTo('/login', returnTo) });
  }

  /** The page of the second step, which then goes on to a path. */
  secondStep(returnTo: string): string {
    return this.page('/second-step', { return_to: this.returnTo('/second-step', returnTo) });
  }

  /** A path that a login was to lead to, with what follows it. */
  path(path: string): string {
    return new URL(this.environment.baseWebUrl + path).href;
  }

  /** The links to the service's own pages, wherever the others lead. */
  ofPages(): Links {
    const { webPages: _, ...environment } = this.environment;
    return new Links({ ...environment, baseWebUrl: pagesUrl(environment) }, this.language);
  }

  private page(path: string, parameters: Record<string, string> = {}): string {
    const { baseWebUrl } = this.environment;
    const url = new URL((this.isOfProduct(path) ? baseWebUrl : pagesUrl(this.environment)) + path);
    const all = this.language === undefined ? parameters : { ...parameters, ui_locales: this.language };
    url.search = new URLSearchParams(all).toString();
    return url.href;
  }

  /** A page of the service takes a path for one of its own, so it gets the whole address of one of the product. */
  private returnTo(page: string, path: string): string {
    return this.isOfProduct(page) ? path : this.path(path);
  }

  private isOfProduct(path: string): boolean {
    return this.environment.webPages?.includes(path.slice(1)) ?? true;
  }
}
