import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const CLIENT = { id: 'latchkey', secret: 'the secret of the client' };

/** How it is registered at the provider, and what it has to ask for. */
const REGISTERED = { callback: 'http://localhost:3000/auth/oauth/idp/callback', scope: 'read:user' };

/** A code that was given out, and what its exchange has to match. */
interface Grant {
  challenge: string;
  user: string;
  emails: string | undefined;
}

/**
 * A provider on loopback that speaks OAuth 2.0 without OpenID Connect, as GitHub does: no issuer, no ID token, an `id`
 * in place of the `sub`, a form in place of JSON for the token, and a 200 where it refuses one. It checks each request
 * against the specification, and answers 400 to one that breaks it. Its paths are those of a GitHub Enterprise Server.
 */
export class OAuthProvider {
  private readonly grants = new Map<string, Grant>();
  private readonly users = new Map<string, Grant>();

  private constructor(
    private readonly server: Server,
    private readonly registered: typeof REGISTERED,
  ) {}

  static async start(registered = REGISTERED): Promise<OAuthProvider> {
    const server = createServer();
    const provider = new OAuthProvider(server, registered);
    server.on('request', async (request: IncomingMessage, response) => {
      const url = new URL(request.url ?? '', provider.address);
      const body = await text(request);
      const isToken = url.pathname === '/login/oauth/access_token';
      const answer = isToken ? provider.token(request, body) : provider.user(request, url);
      response.writeHead(answer === null ? 400 : 200).end(answer ?? 'a request against the specification');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  /** The variables that make the service use this provider. */
  get variables(): Record<string, string> {
    return {
      SVC_IDP_CLIENT_ID: CLIENT.id,
      SVC_IDP_CLIENT_SECRET: CLIENT.secret,
      SVC_IDP_AUTHORIZATION_URL: `${this.address}/login/oauth/authorize`,
      SVC_IDP_TOKEN_URL: `${this.address}/login/oauth/access_token`,
      SVC_IDP_USERINFO_URL: `${this.address}/api/v3/user`,
      SVC_IDP_SCOPE: 'read:user',
      SVC_IDP_ISSUER: this.address,
    };
  }

  /** Where the browser of a user, whom the provider describes in these words, is sent back to. */
  authorize(authorizationUrl: string, user: string, emails?: string): string {
    const { callback, scope } = this.registered;
    const { state, code_challenge: challenge = '', ...rest } = queryOf(authorizationUrl);
    const code = randomUUID();
    const isSound =
      rest.response_type === 'code' &&
      rest.client_id === CLIENT.id &&
      rest.redirect_uri === callback &&
      rest.scope === scope &&
      rest.code_challenge_method === 'S256';
    if (!isSound || !state || !challenge)
      throw new Error(`not an authorization request: ${authorizationUrl}`);

    this.grants.set(code, { challenge, user, emails });
    return `${new URL(callback).pathname}?${new URLSearchParams({ code, state })}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private token({ method, headers }: IncomingMessage, body: string): string | null {
    const { grant_type, redirect_uri, code = '', code_verifier = '', ...client } = fieldsOf(body);
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (
      method !== 'POST' ||
      !isForm ||
      grant_type !== 'authorization_code' ||
      redirect_uri !== this.registered.callback
    )
      return null;
    if (client.client_id !== CLIENT.id || client.client_secret !== CLIENT.secret)
      return 'error=incorrect_client_credentials&error_description=The+client+secret+is+not+right.';

    const grant = this.grants.get(code);
    this.grants.delete(code);
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    if (grant?.challenge !== challenge) return 'error=bad_verification_code';
    const token = randomUUID();
    this.users.set(token, grant);
    return `access_token=${token}&token_type=bearer&scope=read%3Auser`;
  }

  private user({ method, headers }: IncomingMessage, { pathname, searchParams }: URL): string | null {
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
    const grant = this.users.get(token);
    const isSound = method === 'GET' && scheme === 'Bearer' && headers['user-agent'] && headers.accept;
    if (!isSound) return null;
    return (
      { '/api/v3/user': grant?.user, '/api/v3/user/emails': pageOf(grant?.emails, searchParams) }[pathname] ??
      null
    );
  }
}

/** A page of a list as GitHub gives it out; what is no list is given out as it is. */
function pageOf(list: string | undefined, query: URLSearchParams): string | undefined {
  const size = Number(query.get('per_page') ?? 30);
  const start = (Number(query.get('page') ?? 1) - 1) * size;
  try {
    const entries: unknown = JSON.parse(list ?? '');
    return Array.isArray(entries) ? JSON.stringify(entries.slice(start, start + size)) : list;
  } catch {
    return list;
  }
}

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

function fieldsOf(form: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(form));
}
