import { address, type Described, instant, named, nullable, text, uuid } from '../validation/schema.js';
import type { Identity } from './identity.entity.js';

export const IdentitySchema = named('Identity', {
  id: uuid,
  provider: text,
  email: nullable(address),
  created_at: instant,
});

/** What a client sees of a user's account at an identity provider. */
export function identityView({ id, provider, email, createdAt }: Identity): Described<typeof IdentitySchema> {
  return { id, provider, email, created_at: createdAt };
}
