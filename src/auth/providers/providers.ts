import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { OtherProvider } from '../../config/other-provider.js';
import { isConfidential, isThisMachine } from '../../config/variables.js';
import { NotFound } from '../../http/errors.js';
import { OpenWhen } from '../../http/route.js';
import { requestBounded } from '../../outbound/bounded-request.js';
import { parsedUrl } from '../../validation/parsed-url.js';

const GOOGLE = 'https://accounts.google.com';

/** The host whose API has a host of its own; an Enterprise Server has it under a path. */
const GITHUB = 'https://github.com';

/** For one request to a provider: none needs longer, and no user waits longer for a login. */
export const REQUEST_TIME_LIMIT_MS = 5_000;

/** Providers hardly ever move an endpoint, and announce it when they do. */
const KEPT_MS = 60 * 60 * 1000;

/** An identity provider that users log in through. */
export interface Provider {
  /** Its name in paths. */
  id: string;
  /** What the login page calls it. */
  title: string;
  /** Its own name, which identities are stored under. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** Where it sends browsers back to: no other provider sends one there. */
  redirectUri: string;
  /** Whether it asks for a second factor by itself. */
  isStrong: boolean;
  /** Whether each of its ID tokens says when the user logged in there. */
  saysAuthTime: boolean;
  /** The `prompt` by which it asks its user again (OpenID Connect Core §3.1.2.1); null where it knows none. */
  askingPrompt: 'login' | 'select_account' | null;
  /** Whether an address in a domain counts as verified where the provider does not say whether it is. */
  vouchesFor: (domain: string) => boolean;
  endpoints: () => Promise<Endpoints>;
}

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

/** Where the settings name a provider to log in through. */
export const WithProvider = () =>
  OpenWhen(({ idpClientId, idpOthers }) => idpClientId !== undefined || idpOthers.length > 0);

/** The identity providers that the settings name. */
@Injectable()
export class Providers {
  readonly all: readonly Provider[];

  constructor(private readonly environment: Environment) {
    this.all = [...this.first(), ...environment.idpOthers.map((other) => this.other(other))];
  }

  /** Throws NotFound for a name that no provider has. */
  named(id: string): Provider {
    const provider = this.all.find((each) => each.id === id);
    if (!provider) throw new NotFound();
    return provider;
  }

  /** The provider of `SVC_IDP_CLIENT_ID` and the settings beside it. */
  private first(): Provider[] {
    const { idpClientId, idpClientSecret = '', idpIssuer, idpTitle, idpVouchesEmails } = this.environment;
    if (idpClientId === undefined) return [];
    const endpoints = {
      authorizationUrl: this.environment.idpAuthorizationUrl,
      tokenUrl: this.environment.idpTokenUrl,
      userinfoUrl: this.environment.idpUserinfoUrl,
      tokenAuthMethod: 'client_secret_post' as const,
      namesIssuer: false,
    };
    return [
      {
        id: 'idp',
        title: idpTitle ?? titleOf(idpIssuer),
        issuer: idpIssuer,
        clientId: idpClientId,
        clientSecret: idpClientSecret,
        scope: this.environment.idpScope,
        redirectUri: this.redirectUriOf('idp'),
        isStrong: this.environment.idpIsStrong,
        saysAuthTime: this.environment.idpSaysAuthTime,
        askingPrompt: askingPromptOf(idpIssuer, this.environment.idpScope),
        vouchesFor: () => idpVouchesEmails,
        endpoints: async () => endpoints,
      },
    ];
  }

  private other(other: OtherProvider): Provider {
    const { id, title, issuer, preset, scope, vouched_domains } = other;
    return {
      id,
      title,
      issuer,
      clientId: other.client_id,
      clientSecret: other.client_secret,
      scope,
      redirectUri: this.redirectUriOf(id),
      isStrong: other.strong,
      saysAuthTime: other.says_auth_time,
      askingPrompt: preset === 'github' ? 'select_account' : askingPromptOf(issuer, scope),
      vouchesFor: (domain) => vouched_domains.includes(domain),
      endpoints: preset === 'github' ? async () => githubEndpoints(issuer) : discovered(issuer),
    };
  }

  private redirectUriOf(id: string): string {
    return `${this.environment.baseApiUrl}/auth/oauth/${id}/callback`;
  }
}

/** Google knows no `login`. It and GitHub can only be made to ask which account is meant. */
function askingPromptOf(issuer: string, scope: string): Provider['askingPrompt'] {
  if (issuer === GOOGLE) return 'select_account';
  return scope.split(' ').includes('openid') ? 'login' : null;
}

function titleOf(issuer: string): string {
  if (issuer === GOOGLE) return 'Google';
  return parsedUrl(issuer)?.host ?? issuer;
}

/** GitHub speaks OAuth 2.0 without OpenID Connect, and says that its document is for other clients than this. */
function githubEndpoints(issuer: string): Endpoints {
  const { origin } = new URL(issuer);
  const api = origin === GITHUB ? 'https://api.github.com' : `${origin}/api/v3`;
  return {
    authorizationUrl: `${issuer}/authorize`,
    tokenUrl: `${issuer}/access_token`,
    userinfoUrl: `${api}/user`,
    emailsUrl: `${api}/user/emails`,
    tokenAuthMethod: 'client_secret_post',
    namesIssuer: false,
  };
}

/**
 * The endpoints of an issuer, from its own document (OpenID Connect Discovery §4). All logins of a moment share one
 * request, and what it finds is kept for an hour; what fails is asked again by the next login.
 */
function discovered(issuer: string): () => Promise<Endpoints> {
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
  const { isOk, status, text } = await requestBounded(url, REQUEST_TIME_LIMIT_MS, {});
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
