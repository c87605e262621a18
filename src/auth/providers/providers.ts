import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { OtherProvider } from '../../config/other-provider.js';
import { NotFound } from '../../http/errors.js';
import { parsedUrl } from '../../validation/parsed-url.js';
import { discovered, type Endpoints } from './discovery.js';

const GOOGLE = 'https://accounts.google.com';

/** The host whose API has a host of its own; an Enterprise Server has it under a path. */
const GITHUB = 'https://github.com';

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
  /** Whether an address in a domain counts as verified where the provider does not say whether it is. */
  vouchesFor: (domain: string) => boolean;
  endpoints: () => Promise<Endpoints>;
}

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
      vouchesFor: (domain) => vouched_domains.includes(domain),
      endpoints: preset === 'github' ? async () => githubEndpoints(issuer) : discovered(issuer),
    };
  }

  private redirectUriOf(id: string): string {
    return `${this.environment.baseApiUrl}/auth/oauth/${id}/callback`;
  }
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
