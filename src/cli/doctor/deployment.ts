import type { Environment } from '../../config/environment.js';
import { leadsToPages, pagesUrl } from '../../config/pages.js';
import type { Finding } from '../../config/preflight/finding.js';
import { type BoundedAnswer, requestBounded } from '../../outbound/bounded-request.js';
import { ask } from './ask.js';
import { examineClock } from './clock.js';
import { error } from './found.js';
import { examineProxy } from './proxy.js';
import { examineTransport } from './transport.js';

const TIME_LIMIT_MS = 10_000;

/** An origin that can have no owner (RFC 2606). */
const FOREIGN_ORIGIN = 'https://doctor.invalid';

const OWN_PAGES_FIX =
  'Set SVC_PAGES to on there, let the proxy pass /ui on to the service, or let SVC_BASE_WEB_URL lead to your application.';
const PAGES_FIX = 'Add the page to your application, or take it out of SVC_WEB_PAGES.';

/** A running service, which the doctor asks as a browser and as a stranger would; it changes nothing there. */
export class Deployment {
  constructor(
    private readonly address: string,
    private readonly environment: Environment,
  ) {}

  /** Returns null when the service does not answer, or what answers is another one. */
  examine(): Promise<Finding[] | null> {
    return this.findings().catch(() => null);
  }

  private async findings(): Promise<Finding[]> {
    const ready = await this.ask('/health/ready');
    const groups = await Promise.all([
      this.examineCookie(),
      this.examineCors(),
      this.examinePages(),
      this.examineRedirectUris(),
      examineProxy(this.address, this.environment),
    ]);
    const clock = examineClock(
      'CLOCK_OF_SERVICE',
      'the service',
      new Date(ready.headers.get('date') ?? Date.now()),
    );
    return [...examineTransport(ready, this.address, this.environment), ...clock, ...groups.flat()];
  }

  /** The cookie of an unknown session is cleared with the attributes that a session's is set with. */
  private async examineCookie(): Promise<Finding[]> {
    const { headers } = await this.ask('/users/me', {
      headers: { cookie: `${this.environment.sessionCookieName}=of-no-session` },
    });
    const cookie = headers
      .getSetCookie()
      .find((each) => each.startsWith(`${this.environment.sessionCookieName}=`));
    const attributes = cookie?.toLowerCase().split('; ') ?? [];
    const missing = ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/'].filter(
      (attribute) => !attributes.includes(attribute.toLowerCase()),
    );
    const faults = [
      ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
      ...(attributes.some((each) => each.startsWith('domain=')) ? ['is given to a whole domain'] : []),
    ];
    if (faults.length === 0) return [];
    return [
      error(
        'COOKIE_ATTRIBUTES',
        `The session cookie ${faults.join(', and ')}.`,
        'Set SVC_ENVIRONMENT to beta or prod, SVC_SESSION_COOKIE_NAME as there, and let the proxy pass Set-Cookie on as it is.',
      ),
    ];
  }

  private async examineCors(): Promise<Finding[]> {
    const { baseWebUrl, corsOrigins } = this.environment;
    // The service's own pages need no CORS.
    const [spa] = leadsToPages(this.environment) ? corsOrigins : [new URL(baseWebUrl).origin];
    const findings: Finding[] = [];
    if (spa !== undefined && !(await this.isAllowed(spa)))
      findings.push(
        error(
          'CORS_REFUSES_THE_SPA',
          `Pages of ${spa} may not call with credentials.`,
          'Set SVC_BASE_WEB_URL and SVC_CORS_ORIGINS there as here.',
        ),
      );
    if (await this.isAllowed(FOREIGN_ORIGIN))
      findings.push(
        error(
          'CORS_ALLOWS_ALL',
          'Pages of any origin may call with credentials.',
          'Take out what the proxy adds: the service alone answers for CORS.',
        ),
      );
    return findings;
  }

  /** The pages of the service and of the product that mails lead to, at the addresses that they name. */
  private async examinePages(): Promise<Finding[]> {
    const { baseWebUrl, webPages } = this.environment;
    if (webPages === undefined && !leadsToPages(this.environment)) return [];
    const own = pagesUrl(this.environment);
    const ofProduct = (webPages ?? []).map((page) => `${baseWebUrl}/${page}`);
    const [ownLogin, ...answers] = await Promise.all([`${own}/login`, ...ofProduct].map(pageAt));
    const isOwnThere = ownLogin?.text.includes('<meta name="latchkey"');
    const missing = ofProduct.filter((_, index) => (answers[index]?.status ?? 404) >= 400);
    return [
      ...(isOwnThere ? [] : [unreachable(own, 'no page of the service answers there', OWN_PAGES_FIX)]),
      ...missing.map((address) => unreachable(address, 'no page answers there', PAGES_FIX)),
    ];
  }

  private async isAllowed(origin: string): Promise<boolean> {
    const { headers } = await this.ask('/users/me', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH' },
    });
    const isCredentialed = headers.get('access-control-allow-credentials') === 'true';
    return headers.get('access-control-allow-origin') === origin && isCredentialed;
  }

  private async examineRedirectUris(): Promise<Finding[]> {
    const methods = await this.ask('/auth/methods');
    if (methods.status !== 200) return [];
    const { providers } = JSON.parse(methods.text) as { providers: { id: string }[] };
    const findings = await Promise.all(providers.map(({ id }) => this.examineRedirectUri(id)));
    return findings.flat();
  }

  /** A provider whose document the service cannot read is a finding of the configuration already. */
  private async examineRedirectUri(provider: string): Promise<Finding[]> {
    const path = `/auth/oauth/${provider}`;
    const answer = await this.ask(`${path}/authorize-url`);
    if (answer.status !== 200) return [];
    const { authorization_url } = JSON.parse(answer.text) as { authorization_url: string };
    const redirectUri = new URL(authorization_url).searchParams.get('redirect_uri');
    if (redirectUri === `${this.address}${path}/callback`) return [];
    return [
      error(
        'REDIRECT_URI_DIFFERS',
        `The provider ${provider} would send browsers back to ${redirectUri}.`,
        'Set SVC_BASE_API_URL there to the address that browsers use, and register that at the provider.',
      ),
    ];
  }

  private ask(path: string, request: RequestInit = {}): Promise<BoundedAnswer> {
    return ask(this.address, path, request);
  }
}

/** What answers for a page, wherever it redirects to; null where nothing does. */
function pageAt(address: string): Promise<BoundedAnswer | null> {
  return requestBounded(address, TIME_LIMIT_MS, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
  }).catch(() => null);
}

function unreachable(address: string, fault: string, fix: string): Finding {
  return error('PAGES_UNREACHABLE', `Mails lead to ${address}, and ${fault}.`, fix);
}
