import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { ClientAuthMethod, InteractionResults, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Answer, Browser } from './browser.js';
import { TestApp } from './test-app.js';

const CALLBACK = 'http://localhost:3000/auth/oauth/idp/callback';

/** The claims of the provider about an account. */
export interface ProviderAccount {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
}

/**
 * A certified OpenID provider on loopback, whose users agree to everything at once. Who they are is a hint in the
 * request, or what they type into its page.
 */
export class IdentityProvider {
  /** The accounts at the provider, by subject. */
  readonly accounts = new Map<string, ProviderAccount>();

  /** How it answers otherwise than it should, by path. */
  readonly faults = new Map<string, (response: ServerResponse) => void>();

  /** When its users logged in there, in seconds, where that was not just now. */
  loggedInAt: number | undefined;

  /** What its ID tokens say otherwise than they should. */
  claims: Record<string, unknown> = {};

  /** The paths that it was asked for. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    readonly callback: string,
  ) {}

  static async start(
    callback = CALLBACK,
    tokenAuthMethods: ClientAuthMethod[] = ['client_secret_post', 'client_secret_basic'],
  ): Promise<IdentityProvider> {
    // It warns at length of settings that will do for a test.
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockImplementation(() => {});
    const { default: Provider } = await import('oidc-provider');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const self = new IdentityProvider(server, issuer, callback);

    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'latchkey',
          client_secret: 'the secret of the client',
          redirect_uris: [callback],
          token_endpoint_auth_method: tokenAuthMethods[0],
        },
      ],
      clientAuthMethods: tokenAuthMethods,
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...self.accounts.get(accountId), sub: accountId }),
      }),
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
      cookies: { keys: ['a key for the tests'] },
    });
    provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
      await next();
      const { body } = context as { body?: { id_token?: string } };
      if (body?.id_token === undefined || Object.keys(self.claims).length === 0) return;
      const claims = Object.assign({}, jwt.decode(body.id_token), self.claims);
      context.body = { ...body, id_token: jwt.sign(claims, 'no key of the provider') };
    });
    const handle = provider.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      self.asked.push(path);
      const fault = self.faults.get(path);
      if (fault) return fault(response);
      return path.startsWith('/interaction/')
        ? self.agree(provider, request, response)
        : handle(request, response);
    });
    return self;
  }

  /** The variables that make the service use this provider. */
  get variables(): Record<string, string> {
    return {
      SVC_IDP_CLIENT_ID: 'latchkey',
      SVC_IDP_CLIENT_SECRET: 'the secret of the client',
      SVC_IDP_AUTHORIZATION_URL: `${this.issuer}/auth`,
      SVC_IDP_TOKEN_URL: `${this.issuer}/token`,
      SVC_IDP_USERINFO_URL: `${this.issuer}/me`,
      SVC_IDP_ISSUER: this.issuer,
      SVC_IDP_TITLE: 'the provider',
    };
  }

  /** An entry of SVC_IDP_OTHERS that makes the service use this provider. */
  get entry() {
    const [, id] = /oauth\/(.+)\/callback$/.exec(this.callback) ?? [];
    return {
      id,
      title: `the provider ${id}`,
      issuer: this.issuer,
      client_id: 'latchkey',
      client_secret: 'the secret of the client',
    };
  }

  /**
   * Logs in at the provider as a person, or cancels, and returns where the provider sends the browser back to. A browser
   * that keeps the cookies of the provider is logged in there the next time.
   */
  async authorize(
    authorizationUrl: string,
    who: ProviderAccount | 'cancel',
    jar = new Map<string, string>(),
  ): Promise<string> {
    if (who !== 'cancel') this.accounts.set(who.sub, who);
    const first = new URL(authorizationUrl);
    first.searchParams.set('login_hint', who === 'cancel' ? who : who.sub);

    for (let url = first.href; ; ) {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
        jar.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null)
        throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      url = new URL(location, url).href;
      if (url.startsWith(this.callback)) return url.slice(new URL(url).origin.length);
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const { login_hint, client_id, scope } = params as Record<string, string>;
    const who = login_hint ?? new URL(request.url ?? '', provider.issuer).searchParams.get('who');
    if (prompt.name === 'login' && who === null) return void response.end(WHO_PAGE);

    const answer = async (): Promise<InteractionResults> => {
      if (who === 'cancel') return { error: 'access_denied', error_description: 'changed their mind' };
      if (prompt.name === 'login') return { login: { accountId: who ?? '', ts: this.loggedInAt } };
      const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: client_id ?? '' });
      grant.addOIDCScope(scope ?? '');
      return { consent: { grantId: await grant.save() } };
    };
    await provider.interactionFinished(request, response, await answer(), { mergeWithLastSubmission: true });
  }
}

const WHO_PAGE =
  '<!doctype html><form><label>Who are you? <input name="who"></label> <button>Continue</button></form>';

/** The redirect URI of a provider of SVC_IDP_OTHERS. */
export function callbackOf(id: string): string {
  return CALLBACK.replace('/idp/', `/${id}/`);
}

/** The service beside an identity provider it uses, and how both end. */
export async function startWithProvider(variables: Record<string, string> = {}) {
  const provider = await IdentityProvider.start();
  const app = await TestApp.start({ ...provider.variables, ...variables });
  const stop = async () => {
    await app.close();
    await provider.stop();
  };
  return { app, provider, stop };
}

/** Goes to the provider and comes back, as a user there; answers with what the callback answers. */
export async function loginThrough(
  provider: IdentityProvider,
  browser: Browser,
  who: ProviderAccount | 'cancel',
  query = '',
  jar?: Map<string, string>,
): Promise<Answer> {
  return browser.get(await callbackAs(provider, browser, who, query, jar));
}

/** Goes to the provider, and returns where it sends the browser back to. */
export async function callbackAs(
  provider: IdentityProvider,
  browser: Browser,
  who: ProviderAccount | 'cancel',
  query = '',
  jar?: Map<string, string>,
): Promise<string> {
  const { pathname } = new URL(provider.callback);
  const { body } = await browser.get(`${pathname.replace('/callback', '/authorize-url')}${query}`);
  return provider.authorize(body.authorization_url, who, jar);
}

/** What a failed login answers. */
export function failure(reason: string) {
  return { status: 302, headers: { location: `http://localhost:5173/login?error=${reason}` } };
}
