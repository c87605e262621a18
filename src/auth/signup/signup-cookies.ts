import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { SecretCookie, unplantableName } from '../../http/secret-cookie.js';
import { isMintedToken } from '../../secrets/token.js';
import { CodeCookie } from '../mailed-codes/code-cookie.js';
import type { PresentedBrowser } from './signup.service.js';

const DAY_SECONDS = 86_400;

/**
 * The cookie by which the browser that signed up is known, when it opens the mailed link. Outside `dev` it has the
 * prefix `__Host-` whatever the name of the session cookie: a neighbouring host could otherwise plant the cookie of its
 * own signup for the address of another person, whose click would complete it with a password that is not theirs (RFC
 * 6265bis §4.1.3.2).
 */
@Injectable()
export class SignupCookie extends SecretCookie {
  constructor(environment: Environment) {
    super(environment, {
      name: unplantableName(environment, `${environment.sessionCookieName}_signup`),
      maxAgeSeconds: DAY_SECONDS,
      sameSite: 'strict',
    });
  }

  /** What was never minted here, a short one that can be guessed among it, counts as none. */
  override read(request: FastifyRequest): string | null {
    const token = super.read(request);
    return token !== null && isMintedToken(token) ? token : null;
  }
}

/** The cookies of a signup: that of the browser that signed up, and that of the one that asked for a code. */
@Injectable()
export class SignupCookies implements PipeTransform<FastifyRequest, PresentedBrowser> {
  constructor(
    private readonly signup: SignupCookie,
    private readonly code: CodeCookie,
  ) {}

  transform(request: FastifyRequest): PresentedBrowser {
    return { browserToken: this.signup.read(request), codeToken: this.code.read(request) };
  }

  set(reply: FastifyReply, { browserToken, codeToken }: { browserToken: string; codeToken: string }): void {
    this.signup.set(reply, browserToken);
    this.setCode(reply, codeToken);
  }

  setCode(reply: FastifyReply, codeToken: string | null): void {
    this.code.setGiven(reply, codeToken);
  }
}
