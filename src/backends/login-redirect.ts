import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { Unauthenticated } from '../http/errors.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { Links } from '../mail/links.js';
import { isPathOfSpa } from '../validation/rules.js';

/**
 * Where a rule says `login=redirect`, sends a browser that asks for a page without a session to the login page, which
 * then leads back to that page.
 */
@Catch(Unauthenticated)
@Injectable()
export class LoginRedirect implements ExceptionFilter {
  constructor(
    private readonly environment: Environment,
    private readonly links: Links,
    private readonly problems: ProblemFilter,
  ) {}

  catch(error: Unauthenticated, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (isRedirected(request)) reply.redirect(this.links.loginThen(this.pageOf(request)), 302);
    else this.problems.answer(error, request, reply);
  }

  /**
   * The path of the page that the browser asked the proxy for, or null when that is none of the SPA's. It decides nothing
   * else: a client can forge the headers.
   */
  private pageOf({ headers }: FastifyRequest): string | null {
    const { 'x-forwarded-proto': scheme, 'x-forwarded-host': host, 'x-forwarded-uri': uri } = headers;
    const { baseWebUrl } = this.environment;
    const address = `${scheme}://${host}${uri}`;
    const path = address.startsWith(`${baseWebUrl}/`) ? address.slice(baseWebUrl.length) : null;
    return isPathOfSpa(path) ? path : null;
  }
}

/** Browsers say whether they ask for a page; an older one takes HTML. */
function isRedirected({ query, headers }: FastifyRequest): boolean {
  const isPage = headers['sec-fetch-mode']
    ? headers['sec-fetch-mode'] === 'navigate'
    : headers.accept?.includes('text/html');
  return isPage === true && (query as { login?: unknown }).login === 'redirect';
}
