import type { Identity } from '../../accounts/identity.entity.js';
import type { NewIdentity } from '../../accounts/pending-login.entity.js';
import type { Environment } from '../../config/environment.js';
import type { PendingLoginView } from '../../sessions/pending-login.view.js';
import { address, type Described, instant, named, nullable, text, uuid } from '../../validation/schema.js';

export const IdentitySchema = named('Identity', {
  id: uuid,
  provider: nullable(text),
  issuer: text,
  email: nullable(address),
  created_at: instant,
});

/**
 * What a client sees of a user's account at an identity provider: the provider's id, which is null once the settings no
 * longer name it, and its issuer.
 */
export function identityView(
  { id, provider: issuer, email, createdAt }: Identity,
  environment: Environment,
): Described<typeof IdentitySchema> {
  return { id, provider: providerOf(issuer, environment), issuer, email, created_at: createdAt };
}

/** What a client sees of an identity that is not linked yet, before the second step links it. */
export function linksView(
  newIdentity: Pick<NewIdentity, 'issuer'> | null,
  environment: Environment,
): PendingLoginView['links'] {
  if (newIdentity === null) return null;
  const { issuer } = newIdentity;
  return { provider: providerOf(issuer, environment), issuer };
}

function providerOf(issuer: string, { idpClientId, idpIssuer, idpOthers }: Environment): string | null {
  if (idpClientId !== undefined && idpIssuer === issuer) return 'idp';
  return idpOthers.find((other) => other.issuer === issuer)?.id ?? null;
}
