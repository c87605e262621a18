import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';

/**
 * The links in mails. They open a page of the SPA, which posts the token: a mail scanner that follows a link
 * consumes nothing.
 */
@Injectable()
export class Links {
  constructor(private readonly environment: Environment) {}

  verifyEmail(token: string): string {
    return this.page('/verify-email', { token });
  }

  resetPassword(token: string): string {
    return this.page('/reset-password', { token });
  }

  forgotPassword(): string {
    return this.page('/forgot-password');
  }

  private page(path: string, parameters: Record<string, string> = {}): string {
    const url = new URL(this.environment.baseWebUrl + path);
    url.search = new URLSearchParams(parameters).toString();
    return url.href;
  }
}
