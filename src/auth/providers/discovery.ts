import { isConfidential, isThisMachine } from '../../config/variables.js';
import { requestBounded } from '../../outbound/bounded-request.js';

const TIME_LIMIT_MS = 5_000;

/** Providers hardly ever move an endpoint, and announce it when they do. */
const KEPT_MS = 60 * 60 * 1000;

/** Where a provider is asked, and what it answers with. */
export interface Endpoints {
  authorizationUrl: string;
  tokenUrl: string;
  userinfoUrl: string;
  /** Where a provider that says nothing of addresses in its user info lists them. */
  emailsUrl?: string;
  /** How it takes the secret of the client, by the names of OpenID Connect Core §9. */
  tokenAuthMethod: 'client_secret_basic' | 'client_secret_post';
  /** Whether each answer to an authorization request names the issuer (RFC 9207 §3). */
  namesIssuer: boolean;
}

/**
 * The endpoints of an issuer, from its own document (OpenID Connect Discovery §4). All logins of a moment share one
 * request, and what it finds is kept for an hour; what fails is asked again by the next login.
 */
export function discovered(issuer: string): () => Promise<Endpoints> {
  let known: Promise<Endpoints> | undefined;
  let until = 0;

  return () => {
    if (known && performance.now() < until) return known;
    until = Number.POSITIVE_INFINITY;
    known = requestEndpoints(issuer).finally(() => {
      until = performance.now() + KEPT_MS;
    });
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

async function requestEndpoints(issuer: string): Promise<Endpoints> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { isOk, status, text } = await requestBounded(url, TIME_LIMIT_MS, {});
  if (!isOk) throw new Error(`the identity provider answered the request for its document with ${status}`);
  return endpointsIn(documentIn(text), issuer);
}

/** Another issuer's document would send the codes, and the client's secret with them, to that one (§4.3). */
function endpointsIn(document: Record<string, unknown>, issuer: string): Endpoints {
  if (document.issuer !== issuer)
    throw new Error('the document of the identity provider is of another issuer');
  return {
    authorizationUrl: endpoint(document, 'authorization_endpoint', issuer),
    tokenUrl: endpoint(document, 'token_endpoint', issuer),
    userinfoUrl: endpoint(document, 'userinfo_endpoint', issuer),
    tokenAuthMethod: tokenAuthMethodIn(document),
    namesIssuer: document.authorization_response_iss_parameter_supported === true,
  };
}

/** A document without a word on it means the header (OpenID Connect Discovery §3). */
function tokenAuthMethodIn({
  token_endpoint_auth_methods_supported: methods,
}: Record<string, unknown>): Endpoints['tokenAuthMethod'] {
  const isPost = Array.isArray(methods) && methods.includes('client_secret_post');
  return isPost ? 'client_secret_post' : 'client_secret_basic';
}

/** Over HTTPS. One on this machine may only come from a provider on this machine: its document could name any port. */
function endpoint(document: Record<string, unknown>, name: string, issuer: string): string {
  const { [name]: url } = document;
  if (!isConfidential(url) || (isLocal(url) && !isLocal(issuer)))
    throw new Error(`the document of the identity provider has no ${name} that the service may use`);
  return url;
}

function isLocal(url: string): boolean {
  return isThisMachine(new URL(url).hostname);
}

function documentIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    // The parser would quote the text, which is not ours, in the log.
    throw new Error('the document of the identity provider is no JSON');
  }
}
