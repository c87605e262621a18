import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_MEMORY_DAYS } from '../../accounts/known-device.entity.js';
import { Environment } from '../../config/environment.js';
import { LanguageCookie } from '../../http/language-cookie.js';
import { SecretCookie } from '../../http/secret-cookie.js';
import { PendingLoginCookie, SessionCookie } from '../../sessions/session-cookies.js';
import { Languages } from '../../words/languages.js';
import type { Admission, PresentedTokens } from './admission.service.js';

const DAY_SECONDS = 86_400;

/**
 * The cookie by which the service knows a browser again. Its name begins with that of the session cookie, and so with
 * the prefix `__Host-` of one. Lax: a Strict one would be missing when the identity provider sends the browser back.
 */
@Injectable()
export class DeviceCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = `${environment.sessionCookieName}_device`;
    super(environment, { name, maxAgeSeconds: DEVICE_MEMORY_DAYS * DAY_SECONDS, sameSite: 'lax' });
  }
}

/**
 * The cookies of a login: that of the session, and of the device, which outlasts it; or that of a pending login alone.
 */
@Injectable()
export class LoginCookies implements PipeTransform<FastifyRequest, PresentedTokens> {
  constructor(
    private readonly session: SessionCookie,
    private readonly pending: PendingLoginCookie,
    private readonly device: DeviceCookie,
    private readonly language: LanguageCookie,
    private readonly languages: Languages,
  ) {}

  transform(request: FastifyRequest): PresentedTokens {
    return {
      sessionToken: this.session.read(request),
      pendingToken: this.pending.read(request),
      deviceToken: this.device.read(request),
    };
  }

  /** Sets the cookies of a session. Clears that of a pending login, which is over. */
  set(reply: FastifyReply, { token, deviceToken }: { token: string; deviceToken: string }): void {
    this.session.set(reply, token);
    this.device.set(reply, deviceToken);
    this.clearPending(reply);
  }

  /** Clears the cookies of the session and of a pending login. That of the device stays: the account knows it. */
  clear(reply: FastifyReply): void {
    this.session.clear(reply);
    this.clearPending(reply);
  }

  clearPending(reply: FastifyReply): void {
    if (this.pending.isPresent(reply.request)) this.pending.clear(reply);
  }

  /** Sets the cookies of what a login has come to. */
  setAdmitted(reply: FastifyReply, admission: Admission): void {
    if (admission.kind === 'session') {
      this.set(reply, admission);
      this.setLanguage(reply, admission.user.locale);
    } else this.pending.set(reply, admission.pendingToken);
  }

  /** Lets the pages open in the language of an account, where there is a choice. */
  setLanguage(reply: FastifyReply, locale: string | null): void {
    const language =
      locale === null || this.languages.tags.length === 1 ? null : this.languages.find([locale]);
    if (language !== null) this.language.set(reply, language.tag);
  }
}
